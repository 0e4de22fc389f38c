import type { HostedVirtualCluster, HostPhase } from '../host.ts';
import type { PlaceFacts } from './host-copies.ts';

type State = Pick<HostedVirtualCluster, 'phase' | 'reason' | 'message'>;

/**
 * A virtual cluster as what is known of it says; undefined: there is none. `Ready` is said of one whose pod says so, and
 * one that has no pods yet is `Pending` for the reason `NoPods`.
 */
export function describeVirtualCluster(facts: PlaceFacts): HostedVirtualCluster | undefined {
  const { place, service, record, workloads } = facts;
  if (service === undefined) return undefined;
  const owner = service.owner || (record?.owner ?? '');
  const drift = driftOf(facts, owner);
  return {
    place,
    uid: service.uid,
    ...stateOf(facts),
    kubernetesVersion: workloads.find(({ kubernetesVersion }) => kubernetesVersion !== '')?.kubernetesVersion ?? '',
    owner,
    ...(drift === undefined ? {} : { drift }),
  };
}

/** Nobody gets into one whose control plane is to have no pods. */
export function isAsleep({ workloads }: PlaceFacts): boolean {
  const controlPlane = workloads.filter(({ isControlPlane }) => isControlPlane);
  return controlPlane.length > 0 && controlPlane.every(({ replicas }) => replicas === 0);
}

export function isBeingRemoved({ service, namespace, record, workloads }: PlaceFacts): boolean {
  return (
    service?.isDeleting === true ||
    namespace?.isDeleting === true ||
    record?.status === 'uninstalling' ||
    (workloads.length > 0 && workloads.every(({ isDeleting }) => isDeleting))
  );
}

/** Who made it by hand may have done it without a release; what we made has one. */
function driftOf(facts: PlaceFacts, owner: string): string | undefined {
  if (owner === '' || isBeingRemoved(facts)) return undefined;
  const { workloads, record, place } = facts;
  if (!workloads.some(({ isControlPlane }) => isControlPlane))
    return `the StatefulSet or Deployment ${place.name} is gone`;
  if (record === undefined) return `the record of the Helm release ${place.name} is gone`;
  if (record.owner !== owner) return `somebody else has installed the Helm release ${place.name} anew`;
  return undefined;
}

function stateOf(facts: PlaceFacts): State {
  const { place, workloads, pods, record } = facts;
  if (isBeingRemoved(facts)) return state('Removing', 'Removing', 'It is being removed.');
  const controlPlane = workloads.filter(({ isControlPlane }) => isControlPlane);
  if (controlPlane.length === 0) {
    if (record?.status.startsWith('pending-') === true) return state('Pending', 'Installing', 'Helm installs it.');
    const message = `The StatefulSet or Deployment ${place.name} in the namespace ${place.namespace} is gone.`;
    return state('Failed', 'WorkloadGone', message);
  }
  if (isAsleep(facts)) return state('Sleeping', 'ScaledToZero', 'It is scaled to no replicas.');
  const alive = pods.filter(({ isDeleting }) => !isDeleting);
  if (alive.some(({ isReady }) => isReady)) return state('Ready', 'Ready', '');
  const troubles = alive.flatMap(({ trouble }) => trouble ?? []);
  const trouble = troubles.find(({ isLasting }) => isLasting) ?? troubles[0];
  if (trouble !== undefined) return state(trouble.isLasting ? 'Failed' : 'Pending', trouble.reason, trouble.message);
  if (alive.length > 0) return state('Pending', startingReason, `The pod ${alive[0]?.name} starts.`);
  const refused = controlPlane.find((workload) => workload.trouble !== '');
  return refused === undefined ? state('Pending', noPodsReason, '') : withoutPods(refused.trouble);
}

const startingReason = 'Starting';
export const noPodsReason = 'NoPods';

/** `words`: the cluster's own. */
export function withoutPods(words: string): State {
  return state('Failed', noPodsReason, `The cluster makes no pod for it: ${words}`);
}

function state(phase: HostPhase, reason: string, message: string): State {
  return { phase, reason, message };
}
