import { type Condition, setCondition } from '../../api/conditions.ts';
import { quarantinedReason } from '../../api/quarantined-reason.ts';
import type { FieldsOf } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import {
  isReadyForRemoval,
  isVirtualClusterSleeping,
  planeIdOf,
  quarantineError,
  type VirtualCluster,
  type VirtualClusterPhase,
  type virtualClusterKind,
} from '../../api/storage/virtual-cluster.ts';
import type { Clock } from '../../lib/clock.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { PatchOptions } from '../../registry/verbs.ts';
import type { RevisionCheck } from '../../store/store.ts';
import { systemContext } from '../system-context.ts';

export interface VirtualClusterReconcileOptions {
  readonly clock: Clock;
  /** Loads the plane of a virtual cluster and releases it. Rejects if the plane cannot be loaded. */
  probePlane(id: string): Promise<void>;
  /**
   * Removes the plane and all of its stored data. Resolves after everything is erased, or immediately if the plane does
   * not exist. If the check `fence` fails (`RequestContext.fence`), nothing is removed.
   */
  removePlane(id: string, fence: RevisionCheck | undefined): Promise<void>;
  readonly kubernetesVersion: string;
}

interface FencedReconcileOptions extends VirtualClusterReconcileOptions {
  /** The check for all writes (`RequestContext.fence`). */
  readonly fence: RevisionCheck | undefined;
}

type VirtualClusterStore = KindStore<FieldsOf<typeof virtualClusterKind>>;

interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

interface ObservedState {
  readonly phase: VirtualClusterPhase;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

const writing: PatchOptions = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false };

/**
 * Reconciles a VirtualCluster object: removes a virtual cluster that is being deleted, and otherwise updates the
 * status. Maintenance may call this function any number of times. It never requests a later call, because the next
 * write to the object causes one.
 */
export async function reconcileVirtualCluster(
  store: VirtualClusterStore,
  key: NamespacedName,
  options: FencedReconcileOptions,
): Promise<undefined> {
  const object = store.peek(key.namespace, key.name)?.object;
  if (object === undefined) return undefined;
  if (isReadyForRemoval(object)) await remove(store, object, options);
  else await reconcileStatus(store, object, options);
  return undefined;
}

/**
 * Returns the status of a new virtual cluster. It is Ready immediately: its plane is created in the same transaction as
 * the object.
 */
export function initialVirtualClusterStatus(
  object: VirtualCluster,
  options: Pick<VirtualClusterReconcileOptions, 'clock' | 'kubernetesVersion'>,
) {
  return statusOf(object, isVirtualClusterSleeping(object) ? sleepingState : readyState, options);
}

const sleepingState: ObservedState = {
  phase: 'Sleeping',
  status: 'False',
  reason: 'Asleep',
  message:
    'The virtual cluster sleeps because spec.asleep is true; it keeps its data. Set spec.asleep to false to wake it.',
};

const readyState: ObservedState = {
  phase: 'Ready',
  status: 'True',
  reason: 'Serving',
  message: 'The API of the virtual cluster is available.',
};

async function reconcileStatus(
  store: VirtualClusterStore,
  object: VirtualCluster,
  options: FencedReconcileOptions,
): Promise<void> {
  if (isVirtualClusterSleeping(object)) {
    await writeStatus(store, object, sleepingState, options);
    return;
  }
  const quarantine = quarantineError(object);
  if (quarantine !== undefined) {
    const message = `${quarantine.message[0]?.toUpperCase()}${quarantine.message.slice(1)}.`;
    await writeStatus(store, object, { phase: 'Failed', status: 'False', reason: quarantinedReason, message }, options);
    return;
  }
  try {
    await options.probePlane(planeIdOf(object));
  } catch (error) {
    await writeFailure(store, object, { error, reason: 'CannotBeOpened', what: 'cannot be opened' }, options);
    throw error;
  }
  await writeStatus(store, object, readyState, options);
}

/** Removes the plane, then the finalizer of the object. The gateway refuses requests as soon as the deletion begins. */
async function remove(
  store: VirtualClusterStore,
  object: VirtualCluster,
  options: FencedReconcileOptions,
): Promise<void> {
  try {
    await options.removePlane(planeIdOf(object), options.fence);
  } catch (error) {
    await writeFailure(store, object, { error, reason: 'CannotBeRemoved', what: 'cannot be removed' }, options);
    throw error;
  }
  const { namespace = '', name = '', uid = '' } = object.metadata;
  await ignoreNotFound(
    store.verbs.patch(
      systemContext(namespace, undefined, options.fence),
      name,
      { type: 'merge', document: { metadata: { uid, finalizers: null } }, findings: [] },
      writing,
    ),
  );
}

interface Failure {
  readonly error: unknown;
  readonly reason: string;
  readonly what: string;
}

/**
 * Writes the failure to the status. Ignores an error of this write: the caller throws the failure, which is logged, and
 * the next reconcile writes the status again.
 */
async function writeFailure(
  store: VirtualClusterStore,
  object: VirtualCluster,
  { error, reason, what: failedAction }: Failure,
  options: FencedReconcileOptions,
): Promise<void> {
  const message = `The virtual cluster ${failedAction}: ${messageOf(error)}. Retrying automatically.`;
  const failed: ObservedState = { phase: 'Failed', status: 'False', reason, message };
  await writeStatus(store, object, failed, options).catch(() => undefined);
}

function statusOf(
  object: VirtualCluster,
  { phase, ...observed }: ObservedState,
  { clock, kubernetesVersion }: Pick<VirtualClusterReconcileOptions, 'clock' | 'kubernetesVersion'>,
): NonNullable<VirtualCluster['status']> {
  const { generation = 0 } = object.metadata;
  const ready: Condition = { type: 'Ready', ...observed, observedGeneration: generation };
  return {
    phase,
    reason: observed.reason,
    message: observed.message,
    kubernetesVersion,
    // After a failure other than a quarantine, `observedGeneration` is not written, so the reconcile is repeated.
    ...(phase === 'Failed' && observed.reason !== quarantinedReason ? {} : { observedGeneration: generation }),
    conditions: setCondition(object.status?.conditions ?? [], ready, clock.now()),
  };
}

async function writeStatus(
  store: VirtualClusterStore,
  object: VirtualCluster,
  observed: ObservedState,
  options: FencedReconcileOptions,
): Promise<void> {
  if (store.status === undefined) throw new Error(`${store.resource.kind} has no status`);
  const { namespace = '', name = '', uid = '' } = object.metadata;
  const status = statusOf(object, observed, options);
  await ignoreNotFound(
    store.status.patch(
      systemContext(namespace, undefined, options.fence),
      name,
      { type: 'merge', document: { metadata: { uid }, status }, findings: [] },
      writing,
    ),
  );
}

/** Returns the error message for the status. Details of internal errors are only logged, not shown to clients. */
function messageOf(error: unknown): string {
  return error instanceof StatusError ? error.message : 'internal error; see the server log for details';
}

/** Awaits a write and ignores a 404 error, because another client may have deleted the object. */
async function ignoreNotFound(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
