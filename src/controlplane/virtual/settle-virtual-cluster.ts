import { type Condition, setCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { isAsleep, isBeingRemoved, planeIdOf, type VirtualClusterPhase } from '../../api/storage/virtual-cluster.ts';
import type { Clock } from '../../lib/clock.ts';
import { listAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { PatchOptions } from '../../registry/verbs.ts';
import { systemContext } from '../system-context.ts';

export interface SettleOptions {
  readonly clock: Clock;
  /** Opens the plane of a virtual cluster, and lets it go again: what comes back serves. */
  tryPlane(id: string): Promise<void>;
  /**
   * Removes the plane, with all that is in the store for it; settles when nothing is left. What is not there is removed
   * already.
   */
  removePlane(id: string): Promise<void>;
  readonly kubernetesVersion: string;
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Observed {
  readonly phase: VirtualClusterPhase;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

const writing: PatchOptions = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false };

/**
 * Brings one virtual cluster a step nearer to what its object asks for. Called by upkeep whenever there may be something
 * to do, any number of times. Always settles what it finds: the next write of the object brings it here again.
 */
export async function settleVirtualCluster(store: KindStore, place: Place, options: SettleOptions): Promise<undefined> {
  const object = store.peek(place.namespace, place.name)?.object;
  if (object === undefined) return undefined;
  if (isBeingRemoved(object)) await remove(store, object, options);
  else await observe(store, object, options);
  return undefined;
}

/**
 * What is to be told of a new one. Its control plane is a row that is written with the object, so that it can serve from
 * the first moment: there is nothing to wait for.
 */
export function statusAtBirth(object: KubeObject, options: Pick<SettleOptions, 'clock' | 'kubernetesVersion'>) {
  return statusOf(object, isAsleep(object) ? asleep : serving, options);
}

const asleep: Observed = {
  phase: 'Sleeping',
  status: 'False',
  reason: 'Asleep',
  message: 'Asleep by spec.asleep; nothing in it is lost. Set it to false to wake the virtual cluster.',
};

const serving: Observed = {
  phase: 'Ready',
  status: 'True',
  reason: 'Serving',
  message: 'The API of the virtual cluster answers.',
};

async function observe(store: KindStore, object: KubeObject, options: SettleOptions): Promise<void> {
  if (isAsleep(object)) {
    await writeStatus(store, object, asleep, options);
    return;
  }
  try {
    await options.tryPlane(planeIdOf(object));
  } catch (error) {
    await writeFailure(store, object, { error, reason: 'CannotBeOpened', what: 'cannot be opened' }, options);
    throw error;
  }
  await writeStatus(store, object, serving, options);
}

/** From the moment on that brought it here nobody is let in, so nothing is written into a plane that is half gone. */
async function remove(store: KindStore, object: KubeObject, options: SettleOptions): Promise<void> {
  try {
    await options.removePlane(planeIdOf(object));
  } catch (error) {
    await writeFailure(store, object, { error, reason: 'CannotBeRemoved', what: 'cannot be removed' }, options);
    throw error;
  }
  const { namespace = '', name = '', uid = '' } = object.metadata;
  await unlessGone(
    store.verbs.patch(
      systemContext(namespace),
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

/** Only tells of the failure, so it does not matter whether it can be written; the failure itself is the caller's. */
async function writeFailure(
  store: KindStore,
  object: KubeObject,
  { error, reason, what }: Failure,
  options: SettleOptions,
): Promise<void> {
  const message = `The virtual cluster ${what}: ${wordsOf(error)}. The server tries again by itself.`;
  const failed: Observed = { phase: 'Failed', status: 'False', reason, message };
  await writeStatus(store, object, failed, options).catch(() => undefined);
}

function statusOf(
  object: KubeObject,
  { phase, ...observed }: Observed,
  { clock, kubernetesVersion }: Pick<SettleOptions, 'clock' | 'kubernetesVersion'>,
): JsonObject {
  const { generation = 0 } = object.metadata;
  const before = listAt(object as JsonValue, 'status', 'conditions') as unknown as Condition[];
  const ready: Condition = { type: 'Ready', ...observed, observedGeneration: generation };
  return {
    phase,
    reason: observed.reason,
    message: observed.message,
    kubernetesVersion,
    // What could not be done stays to be done.
    ...(phase === 'Failed' ? {} : { observedGeneration: generation }),
    conditions: setCondition(before, ready, clock.now()),
  } as unknown as JsonObject;
}

async function writeStatus(
  store: KindStore,
  object: KubeObject,
  observed: Observed,
  options: SettleOptions,
): Promise<void> {
  if (store.status === undefined) throw new Error(`${store.resource.kind} has no status`);
  const { namespace = '', name = '', uid = '' } = object.metadata;
  const status = statusOf(object, observed, options);
  await unlessGone(
    store.status.patch(
      systemContext(namespace),
      name,
      { type: 'merge', document: { metadata: { uid }, status }, findings: [] },
      writing,
    ),
  );
}

/** What is not an answer to a client is not shown to one; the log has it. */
function wordsOf(error: unknown): string {
  return error instanceof StatusError
    ? error.message
    : 'an internal error, which the log of the server tells more about';
}

/** Somebody else was faster. */
async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
