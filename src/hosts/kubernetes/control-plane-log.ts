import { serviceUnavailable } from '../../api/status.ts';
import type { ApiResponse, LogRequest } from '../host.ts';
import { apiContainer } from './chart-labels.ts';
import { isAsleep } from './describe-virtual-cluster.ts';
import type { HostConnection } from './host-connection.ts';
import type { PlaceFacts } from './host-copies.ts';

/** What may be asked of a pod's log. Which container it is of is not for the caller to say. */
const passed = ['follow', 'tailLines', 'sinceSeconds', 'sinceTime', 'timestamps', 'previous', 'limitBytes'] as const;

/** The log of a pod of the control plane: one that is ready, else whichever there is. */
export async function controlPlaneLog(
  own: HostConnection['own'],
  facts: PlaceFacts,
  { query, signal }: LogRequest,
): Promise<ApiResponse> {
  const { place, pods } = facts;
  const pod = pods.find(({ isReady }) => isReady) ?? pods.find(({ isDeleting }) => !isDeleting) ?? pods[0];
  if (pod === undefined) {
    const why = isAsleep(facts) ? 'is asleep: wake it first' : 'has no pod now';
    throw serviceUnavailable(`there is no log, as the virtual cluster ${place.name} ${why}`);
  }
  const asked = new URLSearchParams({ container: apiContainer });
  for (const name of passed) {
    const value = query.get(name);
    if (value !== null) asked.set(name, value);
  }
  const path = `/api/v1/namespaces/${place.namespace}/pods/${pod.name}/log?${asked}`;
  return await own.send({ method: 'GET', path, headers: { accept: '*/*' }, signal });
}
