import { notFound, type StatusError, serviceUnavailable } from '../../../api/status.ts';
import type { ClusterApi, HostLocation } from '../../host.ts';
import { describeVirtualCluster, isAsleep, isBeingRemoved } from '../observe/describe-virtual-cluster.ts';
import type { HostCache, VirtualClusterSnapshot } from '../observe/host-cache.ts';
import type { PodSummary } from '../observe/object-summaries.ts';
import { credentialsSecret } from '../release/chart-labels.ts';
import type { VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import { statusResponse } from './status-response.ts';
import type { VirtualClusterConnections } from './virtual-cluster-connections.ts';

/** The API of a virtual cluster that responds with an explanation while the virtual cluster cannot be used. */
export function guardedApi(
  place: HostLocation,
  copies: HostCache,
  ways: VirtualClusterConnections,
): Required<ClusterApi> {
  const api = ways.apiOf(place);
  async function ifUsable<T>(signal: AbortSignal, use: () => Promise<T>) {
    await copies.ready(signal);
    const unusable = unusableError(copies.snapshotOf(place));
    return unusable === undefined ? await use() : statusResponse(unusable);
  }
  return {
    send: (request) => ifUsable(request.signal, () => api.send(request)),
    upgrade: (request) => ifUsable(request.signal, () => api.upgrade(request)),
  };
}

/** `undefined` if the virtual cluster can be used. */
function unusableError(facts: VirtualClusterSnapshot): StatusError | undefined {
  const { location, service } = facts;
  if (service === undefined) return noVirtualCluster(location);
  const what = `the virtual cluster ${location.name}`;
  if (isBeingRemoved(facts)) return serviceUnavailable(`${what} is being removed`);
  if (isAsleep(facts)) return serviceUnavailable(`${what} is asleep and keeps its data; wake it to use it`);
  if (readyPods(facts).length > 0) return undefined;
  const { message = '' } = describeVirtualCluster(facts) ?? {};
  return serviceUnavailable(`${what} is not running${message === '' ? '' : `: ${message}`}`, 1);
}

export function noVirtualCluster({ name }: HostLocation): StatusError {
  return notFound({ group: '', resource: 'virtualclusters' }, name);
}

export function readyPods({ pods }: VirtualClusterSnapshot): readonly PodSummary[] {
  return pods.filter(({ isReady, isDeleting }) => isReady && !isDeleting);
}

/** The addresses at which the virtual cluster can be reached. */
export function endpointOf(facts: VirtualClusterSnapshot): VirtualClusterEndpoint | undefined {
  const { service, location } = facts;
  if (service === undefined) return undefined;
  const { uid, type, clusterIP, ingress, port, targetPort } = service;
  return {
    uid,
    service: { type, clusterIP, ingress, port },
    pods: readyPods(facts).map(({ name }) => name),
    podPort: targetPort,
    secret: credentialsSecret(location.name),
  };
}
