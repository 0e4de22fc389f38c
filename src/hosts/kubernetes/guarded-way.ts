import { notFound, type StatusError, serviceUnavailable } from '../../api/status.ts';
import type { ClusterApi, HostPlace } from '../host.ts';
import { credentialsSecret } from './chart-labels.ts';
import { describeVirtualCluster, isAsleep, isBeingRemoved } from './describe-virtual-cluster.ts';
import type { VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import type { HostCopies, PlaceFacts } from './host-copies.ts';
import type { PodFact } from './host-facts.ts';
import type { VirtualClusterWays } from './reach-virtual-cluster.ts';
import { statusResponse } from './status-response.ts';

/** The API of a virtual cluster that responds with an explanation while the virtual cluster cannot be used. */
export function guardedWay(place: HostPlace, copies: HostCopies, ways: VirtualClusterWays): Required<ClusterApi> {
  const api = ways.to(place);
  async function ifUsable<T>(signal: AbortSignal, use: () => Promise<T>) {
    await copies.ready(signal);
    const unusable = unusableError(copies.factsOf(place));
    return unusable === undefined ? await use() : statusResponse(unusable);
  }
  return {
    send: (request) => ifUsable(request.signal, () => api.send(request)),
    upgrade: (request) => ifUsable(request.signal, () => api.upgrade(request)),
  };
}

/** `undefined` if the virtual cluster can be used. */
function unusableError(facts: PlaceFacts): StatusError | undefined {
  const { place, service } = facts;
  if (service === undefined) return noVirtualCluster(place);
  const what = `the virtual cluster ${place.name}`;
  if (isBeingRemoved(facts)) return serviceUnavailable(`${what} is being removed`);
  if (isAsleep(facts)) return serviceUnavailable(`${what} is asleep and keeps its data; wake it to use it`);
  if (readyPods(facts).length > 0) return undefined;
  const { message = '' } = describeVirtualCluster(facts) ?? {};
  return serviceUnavailable(`${what} is not running${message === '' ? '' : `: ${message}`}`, 1);
}

export function noVirtualCluster({ name }: HostPlace): StatusError {
  return notFound({ group: '', resource: 'virtualclusters' }, name);
}

export function readyPods({ pods }: PlaceFacts): readonly PodFact[] {
  return pods.filter(({ isReady, isDeleting }) => isReady && !isDeleting);
}

/** The addresses at which the virtual cluster can be reached. */
export function endpointOf(facts: PlaceFacts): VirtualClusterEndpoint | undefined {
  const { service, place } = facts;
  if (service === undefined) return undefined;
  const { uid, type, clusterIP, ingress, port, targetPort } = service;
  return {
    uid,
    service: { type, clusterIP, ingress, port },
    pods: readyPods(facts).map(({ name }) => name),
    podPort: targetPort,
    secret: credentialsSecret(place.name),
  };
}
