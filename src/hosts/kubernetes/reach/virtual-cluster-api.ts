import { notFound, type StatusError, serviceUnavailable } from '../../../api/status.ts';
import type { ClusterApi, HostLocation } from '../../host.ts';
import { describeVirtualCluster, isAsleep, isBeingRemoved } from '../observe/describe-virtual-cluster.ts';
import type { HostCache, VirtualClusterSnapshot } from '../observe/host-cache.ts';
import type { PodSummary } from '../observe/object-summaries.ts';
import { credentialsSecret } from '../release/chart-labels.ts';
import type { VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import { statusResponse } from './status-response.ts';
import type { VirtualClusterConnections } from './virtual-cluster-connections.ts';

/**
 * Returns the API of a virtual cluster. If the virtual cluster cannot be used, every response is a Status that contains
 * the reason.
 */
export function virtualClusterApi(
  location: HostLocation,
  cache: HostCache,
  connections: VirtualClusterConnections,
): Required<ClusterApi> {
  const api = connections.apiOf(location);
  async function ifUsable<T>(signal: AbortSignal, use: () => Promise<T>) {
    await cache.ready(signal);
    const unusable = unusableError(cache.snapshotOf(location));
    return unusable === undefined ? await use() : statusResponse(unusable);
  }
  return {
    send: (request) => ifUsable(request.signal, () => api.send(request)),
    upgrade: (request) => ifUsable(request.signal, () => api.upgrade(request)),
  };
}

/** Returns the reason why the virtual cluster cannot be used; `undefined` if it can be used. */
function unusableError(snapshot: VirtualClusterSnapshot): StatusError | undefined {
  const { location, service } = snapshot;
  if (service === undefined) return virtualClusterNotFound(location);
  const what = `the virtual cluster ${location.name}`;
  if (isBeingRemoved(snapshot)) return serviceUnavailable(`${what} is being removed`);
  if (isAsleep(snapshot)) return serviceUnavailable(`${what} is asleep; wake it to use it`);
  if (readyPods(snapshot).length > 0) return undefined;
  const { message = '' } = describeVirtualCluster(snapshot) ?? {};
  return serviceUnavailable(`${what} is not running${message === '' ? '' : `: ${message}`}`, 1);
}

export function virtualClusterNotFound({ name }: HostLocation): StatusError {
  return notFound({ group: '', resource: 'virtualclusters' }, name);
}

export function readyPods({ pods }: VirtualClusterSnapshot): readonly PodSummary[] {
  return pods.filter(({ isReady, isDeleting }) => isReady && !isDeleting);
}

/** Returns how the API of the virtual cluster can be reached; `undefined` if it has no service. */
export function endpointOf(snapshot: VirtualClusterSnapshot): VirtualClusterEndpoint | undefined {
  const { service, location } = snapshot;
  if (service === undefined) return undefined;
  const { uid, type, clusterIP, ingress, port, targetPort } = service;
  return {
    uid,
    service: { type, clusterIP, ingress, port },
    pods: readyPods(snapshot).map(({ name }) => name),
    podPort: targetPort,
    secret: credentialsSecret(location.name),
  };
}
