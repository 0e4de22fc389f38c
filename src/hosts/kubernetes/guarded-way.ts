import { notFound, type StatusError, serviceUnavailable } from '../../api/status.ts';
import type { ClusterApi, HostPlace } from '../host.ts';
import { credentialsSecret } from './chart-labels.ts';
import { describeVirtualCluster, isAsleep, isBeingRemoved } from './describe-virtual-cluster.ts';
import type { VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import type { HostCopies, PlaceFacts } from './host-copies.ts';
import type { PodFact } from './host-facts.ts';
import type { VirtualClusterWays } from './reach-virtual-cluster.ts';
import { statusResponse } from './status-response.ts';

/** The way to a virtual cluster, on which somebody stands who says why nobody gets in, where nobody does. */
export function guardedWay(place: HostPlace, copies: HostCopies, ways: VirtualClusterWays): Required<ClusterApi> {
  const way = ways.to(place);
  async function unlessClosed<T>(signal: AbortSignal, go: () => Promise<T>) {
    await copies.ready(signal);
    const closed = closedDoor(copies.factsOf(place));
    return closed === undefined ? await go() : statusResponse(closed);
  }
  return {
    send: (request) => unlessClosed(request.signal, () => way.send(request)),
    upgrade: (request) => unlessClosed(request.signal, () => way.upgrade(request)),
  };
}

/** undefined: somebody may answer. */
function closedDoor(facts: PlaceFacts): StatusError | undefined {
  const { place, service } = facts;
  if (service === undefined) return noVirtualCluster(place);
  const what = `the virtual cluster ${place.name}`;
  if (isBeingRemoved(facts)) return serviceUnavailable(`${what} is being removed`);
  if (isAsleep(facts)) return serviceUnavailable(`${what} is asleep; nothing in it is lost: wake it to use it`);
  if (readyPods(facts).length > 0) return undefined;
  const { message = '' } = describeVirtualCluster(facts) ?? {};
  return serviceUnavailable(`${what} does not run now${message === '' ? '' : `: ${message}`}`, 1);
}

export function noVirtualCluster({ name }: HostPlace): StatusError {
  return notFound({ group: '', resource: 'virtualclusters' }, name);
}

export function readyPods({ pods }: PlaceFacts): readonly PodFact[] {
  return pods.filter(({ isReady, isDeleting }) => isReady && !isDeleting);
}

/** Where it is to be reached. */
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
