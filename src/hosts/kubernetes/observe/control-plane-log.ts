import { serviceUnavailable } from '../../../api/status.ts';
import type { ApiResponse, LogRequest } from '../../host.ts';
import type { HostConnection } from '../reach/host-connection.ts';
import { apiContainer } from '../release/chart-labels.ts';
import { isAsleep } from './describe-virtual-cluster.ts';
import type { VirtualClusterSnapshot } from './host-cache.ts';

/**
 * The query parameters of a log request that are forwarded. Other parameters are ignored, including `container`, which
 * is always `syncer`.
 */
const forwardedParameters = [
  'follow',
  'tailLines',
  'sinceSeconds',
  'sinceTime',
  'timestamps',
  'previous',
  'limitBytes',
] as const;

/** Returns the log of a control plane pod of the virtual cluster, preferably of a ready pod. */
export async function controlPlaneLog(
  own: HostConnection['own'],
  snapshot: VirtualClusterSnapshot,
  { query, signal }: LogRequest,
): Promise<ApiResponse> {
  const { location, pods } = snapshot;
  const pod = pods.find(({ isReady }) => isReady) ?? pods.find(({ isDeleting }) => !isDeleting) ?? pods[0];
  if (pod === undefined) {
    const reason = isAsleep(snapshot) ? 'is asleep; wake it first' : 'has no pod';
    throw serviceUnavailable(`no log is available because the virtual cluster ${location.name} ${reason}`);
  }
  const parameters = new URLSearchParams({ container: apiContainer });
  for (const name of forwardedParameters) {
    const value = query.get(name);
    if (value !== null) parameters.set(name, value);
  }
  const path = `/api/v1/namespaces/${location.namespace}/pods/${pod.name}/log?${parameters}`;
  return await own.send({ method: 'GET', path, headers: { accept: '*/*' }, signal });
}
