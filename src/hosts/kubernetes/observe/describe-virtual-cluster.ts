import type { HostedVirtualCluster, HostPhase } from '../../host.ts';
import type { VirtualClusterSnapshot } from './host-cache.ts';

type State = Pick<HostedVirtualCluster, 'phase' | 'reason' | 'message'>;

/**
 * Derives the state of a virtual cluster from its cached objects; `undefined` if the virtual cluster does not exist.
 * The phase is `Ready` if one of its pods is ready. If the virtual cluster has no pods, the phase is `Pending` with the
 * reason `NoPods`.
 */
export function describeVirtualCluster(snapshot: VirtualClusterSnapshot): HostedVirtualCluster | undefined {
  const { location, service, record, workloads } = snapshot;
  if (service === undefined) return undefined;
  const owner = service.owner || (record?.owner ?? '');
  const drift = driftOf(snapshot, owner);
  const dataLostAt = workloads.find((workload) => workload.isControlPlane)?.dataLostAt ?? '';
  return {
    location,
    uid: service.uid,
    ...stateOf(snapshot),
    kubernetesVersion: workloads.find(({ kubernetesVersion }) => kubernetesVersion !== '')?.kubernetesVersion ?? '',
    owner,
    ...(drift === undefined ? {} : { drift }),
    ...(dataLostAt === '' ? {} : { dataLostAt }),
  };
}

/** True if the control plane of the virtual cluster is scaled to zero replicas. */
export function isAsleep({ workloads }: VirtualClusterSnapshot): boolean {
  const controlPlane = workloads.filter(({ isControlPlane }) => isControlPlane);
  return controlPlane.length > 0 && controlPlane.every(({ replicas }) => replicas === 0);
}

export function isBeingRemoved({ service, namespace, record, workloads }: VirtualClusterSnapshot): boolean {
  return (
    service?.isDeleting === true ||
    namespace?.isDeleting === true ||
    record?.status === 'uninstalling' ||
    (workloads.length > 0 && workloads.every(({ isDeleting }) => isDeleting))
  );
}

/**
 * Describes how the virtual cluster differs from what this server installed; `undefined` if there is no difference. A
 * virtual cluster without an owner was created manually, so it has no drift.
 */
function driftOf(snapshot: VirtualClusterSnapshot, owner: string): string | undefined {
  if (owner === '' || isBeingRemoved(snapshot)) return undefined;
  const { workloads, record, location } = snapshot;
  if (!workloads.some(({ isControlPlane }) => isControlPlane))
    return `the StatefulSet or Deployment ${location.name} is missing`;
  if (record === undefined) return `the record of the Helm release ${location.name} is missing`;
  if (record.owner !== owner) return `the Helm release ${location.name} was reinstalled by someone else`;
  return undefined;
}

function stateOf(snapshot: VirtualClusterSnapshot): State {
  const { location, workloads, pods, record } = snapshot;
  if (isBeingRemoved(snapshot)) return state('Removing', 'Removing', 'It is being removed.');
  const controlPlane = workloads.filter(({ isControlPlane }) => isControlPlane);
  if (controlPlane.length === 0) {
    if (record?.status.startsWith('pending-') === true) return state('Pending', 'Installing', 'Helm is installing it.');
    const message = `The StatefulSet or Deployment ${location.name} in the namespace ${location.namespace} is missing.`;
    return state('Failed', 'WorkloadGone', message);
  }
  if (isAsleep(snapshot)) return state('Sleeping', 'ScaledToZero', 'It is scaled to zero replicas.');
  const alive = pods.filter(({ isDeleting }) => !isDeleting);
  if (alive.some(({ isReady }) => isReady)) return state('Ready', 'Ready', '');
  const problems = alive.flatMap(({ problem }) => problem ?? []);
  const trouble = problems.find(({ isPermanent }) => isPermanent) ?? problems[0];
  if (trouble !== undefined) return state(trouble.isPermanent ? 'Failed' : 'Pending', trouble.reason, trouble.message);
  if (alive.length > 0) return state('Pending', startingReason, `The pod ${alive[0]?.name} is starting.`);
  const failing = controlPlane.find((workload) => workload.replicaFailure !== '');
  return failing === undefined ? state('Pending', noPodsReason, '') : noPodsState(failing.replicaFailure);
}

const startingReason = 'Starting';
export const noPodsReason = 'NoPods';

/**
 * Returns the state of a virtual cluster whose pods cannot be created. `message` is the cause that Kubernetes reports.
 */
export function noPodsState(message: string): State {
  return state('Failed', noPodsReason, `The cluster cannot create a pod for it: ${message}`);
}

function state(phase: HostPhase, reason: string, message: string): State {
  return { phase, reason, message };
}
