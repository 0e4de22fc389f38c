import { cloneJson, equalJson, type JsonObject } from '@flotilla/json';
import { type KubeObject, type ObjectMeta, type Timestamp, timestamp } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict, deletedStatus, notFound, type StatusError } from '../../api/status.ts';
import { admitAndStore } from '../admission.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { Draft, StoredRecord } from '../resource.ts';
import { removalNeedsNoRows } from '../rows/maintenance-rows.ts';
import type { DeleteOptions, DeleteResult } from '../verbs.ts';
import { commit } from '../write/commit.ts';
import { finalizersForDelete, finalizersOf, foregroundFinalizer, orphanFinalizer } from '../write/finalizers.ts';
import { canBeRemoved, gracePeriodEnd, normalizeMetadata } from '../write/metadata.ts';
import { confirmCurrent, retryOnConflict } from '../write/retry-on-conflict.ts';
import type { VerbContext } from './verb-context.ts';
import { dryRunObject, removedObject, writtenObject } from './written-object.ts';

/** Deletes an object. If finalizers or a grace period block the removal, marks it as terminating instead. */
export function deleteObject(
  kind: KindRuntime,
  context: RequestContext,
  name: string,
  options: DeleteOptions,
): Promise<DeleteResult> {
  warnAboutOrphans(kind, context, options);
  return deleteWithoutWarning(kind, context, name, options);
}

/**
 * Deletes one object of a collection without the warning about orphans. The caller warns once for the whole collection
 * with `warnAboutOrphans`.
 */
export function deleteWithoutWarning(
  kind: KindRuntime,
  context: RequestContext,
  name: string,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const namespace = kind.resource.namespaced ? context.namespace : '';
  const attempt = async () => {
    const current = kind.cache.get(namespace, name);
    if (current === undefined) throw notFound(groupResourceOf(kind.resource), name);
    checkPreconditions(kind, current, options);
    if (!context.system && kind.resource.guardDelete !== undefined) {
      await kind.resource.guardDelete(current.record, context);
    }
    const draft = new DeletedDraft(current);
    return admitAndStore(kind, { operation: 'DELETE', subresource: '', draft, context, dryRun: options.dryRun }, () =>
      storeDeleted({ kind, context }, current, withDefaultPolicy(kind, current, options)),
    );
  };
  return retryOnConflict(kind, context, attempt, { asksFirst: options.dryRun });
}

/** Warns the client if a delete keeps the dependents only because the client has not set a propagation policy. */
export function warnAboutOrphans({ resource }: KindRuntime, context: RequestContext, options: DeleteOptions): void {
  const warning = resource.orphansDependents?.warning;
  if (warning !== undefined && options.propagationPolicy === undefined) context.warn(warning);
}

/**
 * Returns the options with the policy Orphan if the kind keeps dependents by default. Finalizers of an earlier delete
 * have priority over this default.
 */
function withDefaultPolicy({ resource }: KindRuntime, current: CachedObject, options: DeleteOptions): DeleteOptions {
  if (resource.orphansDependents === undefined || options.propagationPolicy !== undefined) return options;
  const { finalizers = [] } = current.metadata();
  const isDecided = finalizers.includes(orphanFinalizer) || finalizers.includes(foregroundFinalizer);
  return isDecided ? options : { ...options, propagationPolicy: 'Orphan' };
}

/** The draft that admission gets for a delete. The object is decoded only if admission reads it. */
class DeletedDraft implements Draft {
  readonly #deleted: CachedObject;

  constructor(deleted: CachedObject) {
    this.#deleted = deleted;
  }

  get object(): KubeObject {
    return this.old.object;
  }

  get hidden(): JsonObject {
    return this.old.hidden ?? {};
  }

  get old(): StoredRecord {
    return this.#deleted.record;
  }
}

async function storeDeleted(
  { kind, context }: VerbContext,
  current: CachedObject,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const metadata = current.metadata();
  if (canRemoveImmediately(kind, metadata, options)) {
    const leavesNothing = removalNeedsNoRows(kind, current, metadata);
    const write = { key: current, old: current, leavesNoWork: leavesNothing, context };
    return removedResult(kind, current, options.dryRun ? undefined : await commit(kind, write));
  }
  const { record } = current;
  const object = markDeleted(kind, record.object, options);
  if (canBeRemoved(kind.resource, object, kind.clock.now())) {
    const write = { key: current, old: current, context };
    const revision = options.dryRun ? undefined : await commit(kind, write);
    const removed = removedResult(kind, current, revision);
    if (kind.resource.graceSecondsOf === undefined || !('pending' in removed)) return removed;
    return { ...removed, pending: removedObject(kind, object, revision ?? current.revision) };
  }
  if (object === record.object) {
    await confirmCurrent(kind, current);
    return { pending: current.served };
  }
  if (options.dryRun) return { pending: dryRunObject(kind, object, current.revision) };
  const { hidden = {} } = record;
  const revision = await commit(kind, { key: current, old: current, next: { object, hidden }, context });
  return { pending: writtenObject(kind, current, revision, { object, hidden }) };
}

/** Returns the result of removing an object. `revision` is the revision of the removal; absent for a dry run. */
function removedResult({ resource }: KindRuntime, current: CachedObject, revision: number | undefined): DeleteResult {
  if (resource.returnsDeleted !== true) {
    return { gone: deletedStatus(groupResourceOf(resource), current.name, current.metadata().uid ?? '') };
  }
  const last = revision === undefined ? current : current.withRevision(revision);
  return { pending: last.served, isRemoved: true };
}

/**
 * True if the object can be removed without further checks, because nothing blocks the removal and no hook runs. May be
 * false even if the object can be removed.
 */
function canRemoveImmediately({ resource }: KindRuntime, metadata: ObjectMeta, options: DeleteOptions): boolean {
  if (
    resource.isDeletionBlocked !== undefined ||
    resource.prepareDelete !== undefined ||
    resource.gracePeriods === true ||
    resource.graceSecondsOf !== undefined
  ) {
    return false;
  }
  if (metadata.deletionTimestamp !== undefined) return false;
  return finalizersForDelete(metadata.finalizers ?? [], options.propagationPolicy).length === 0;
}

/**
 * Throws 409 if the preconditions contain a uid or resourceVersion that differs from the current one (DELETE-11,
 * DELETE-12).
 */
function checkPreconditions(kind: KindRuntime, current: CachedObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions;
  if (uid !== undefined) {
    const { uid: ownUid = '' } = current.metadata();
    if (uid !== ownUid) throw preconditionFailed(kind, current.name, { member: 'UID', wanted: uid, found: ownUid });
  }
  const ownVersion = String(current.revision);
  if (resourceVersion !== undefined && resourceVersion !== ownVersion) {
    const failed = { member: 'ResourceVersion', wanted: resourceVersion, found: ownVersion } as const;
    throw preconditionFailed(kind, current.name, failed);
  }
}

interface FailedPrecondition {
  readonly member: 'UID' | 'ResourceVersion';
  readonly wanted: string;
  readonly found: string;
}

/**
 * Returns the 409 for a failed precondition. If the kind has no message of its own, uses the message of Kubernetes,
 * which names the Kind instead of the resource.
 */
function preconditionFailed(
  { resource }: KindRuntime,
  name: string,
  { member, wanted, found }: FailedPrecondition,
): StatusError {
  const message = resource.preconditionMessage?.(member, wanted, found);
  if (message !== undefined) return conflict(groupResourceOf(resource), name, message);
  const happened = member === 'UID' ? 'deleted and then recreated' : 'modified';
  return conflict(
    { group: resource.group, resource: resource.kind },
    name,
    `the ${member} in the precondition (${wanted}) does not match the ${member} in record (${found}). The object might have been ${happened}`,
  );
}

/**
 * Starts the deletion of an object: sets deletionTimestamp, the grace period, and finalizers for the propagation
 * policy. Returns `old` itself if nothing changes (DELETE-09). A repeated delete can only shorten the grace period
 * (completions §2.1).
 */
function markDeleted(kind: KindRuntime, old: KubeObject, options: DeleteOptions): KubeObject {
  // The object is already terminating and its kind blocks the removal. A repeated delete changes nothing.
  if (old.metadata.deletionTimestamp !== undefined && kind.resource.isDeletionBlocked?.(old) === true) return old;
  const finalizers = finalizersForDelete(finalizersOf(old), options.propagationPolicy);
  const oldTimestamp = old.metadata.deletionTimestamp;
  const deletion = deletionTimes(kind, old, options);
  if (deletion === undefined) return old;
  const { grace, newTimestamp, shortens } = deletion;
  if (oldTimestamp !== undefined && !shortens && equalJson([...finalizers], [...finalizersOf(old)])) return old;
  // `prepareDelete` may change any member, so it needs a deep copy.
  const object = kind.resource.prepareDelete === undefined ? { ...old } : cloneJson(old);
  const metadata = normalizeMetadata(object.metadata);
  object.metadata = metadata;
  metadata.finalizers = [...finalizers];
  if (oldTimestamp === undefined || shortens) {
    metadata.deletionTimestamp = newTimestamp;
    metadata.deletionGracePeriodSeconds = grace;
  }
  if (oldTimestamp === undefined && old.metadata.generation !== undefined)
    metadata.generation = old.metadata.generation + 1;
  if (oldTimestamp === undefined) kind.resource.prepareDelete?.(object);
  object.metadata = normalizeMetadata(object.metadata);
  return object;
}

/** The times of a deletion that starts, or that changes because of a repeated delete. */
interface DeletionTimes {
  readonly grace: number;
  readonly newTimestamp: Timestamp;
  /** True if a repeated delete shortens the grace period. */
  readonly shortens: boolean;
}

/** Returns the times of the deletion. `undefined` if a repeated delete must change nothing, not even finalizers. */
function deletionTimes(
  { resource, clock }: KindRuntime,
  old: KubeObject,
  options: DeleteOptions,
): DeletionTimes | undefined {
  const now = clock.now();
  const { deletionTimestamp, deletionGracePeriodSeconds: stored = 0 } = old.metadata;
  if (resource.graceSecondsOf !== undefined) {
    const requested = options.gracePeriodSeconds === undefined ? undefined : graceSeconds(options);
    if (deletionTimestamp === undefined) {
      const grace = resource.graceSecondsOf(old, requested);
      return { grace, newTimestamp: gracePeriodEnd(now, grace), shortens: false };
    }
    if (stored === 0) return { grace: 0, newTimestamp: deletionTimestamp, shortens: false };
    if (requested === undefined || requested >= stored) return undefined;
    const end = Date.parse(deletionTimestamp) - (stored - requested) * 1000;
    // The end of the grace period is never in the past. A positive grace period stays positive, so that the client that
    // removes the object still sees that it is being deleted.
    const grace = end < now && requested > 0 ? 1 : requested;
    return { grace, newTimestamp: timestamp(Math.max(end, now)), shortens: true };
  }
  const grace = resource.gracePeriods === true ? graceSeconds(options) : 0;
  const newTimestamp = gracePeriodEnd(now, grace);
  const shortens = deletionTimestamp !== undefined && Date.parse(newTimestamp) < Date.parse(deletionTimestamp);
  return { grace, newTimestamp, shortens };
}

/** Returns the requested grace period in seconds. A negative value counts as one second (DELETE-18). */
function graceSeconds(options: DeleteOptions): number {
  const seconds = options.gracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/**
 * Called by maintenance if a deadline of an object has passed. Removes an object whose grace period is over and deletes
 * an object that has expired. Does nothing if the object no longer exists or its deadline was postponed.
 */
export async function handleDeadline(kind: KindRuntime, context: RequestContext, name: string): Promise<void> {
  const namespace = kind.resource.namespaced ? context.namespace : '';
  const attempt = async () => {
    const current = kind.cache.get(namespace, name);
    if (current === undefined) return;
    if (canBeRemoved(kind.resource, current.record.object, kind.clock.now())) {
      await commit(kind, { key: current, old: current, context });
      return;
    }
    if (current.record.object.metadata.deletionTimestamp !== undefined) return;
    const expiry = kind.resource.expiresAt?.(current.record);
    if (expiry === undefined || expiry > kind.clock.now()) return;
    const { uid = '' } = current.record.object.metadata;
    await deleteObject(kind, context, name, {
      dryRun: false,
      gracePeriodSeconds: 0,
      propagationPolicy: undefined,
      preconditions: { uid, resourceVersion: String(current.revision) },
    });
  };
  // The row of the deadline may be newer than the cache, so the store is asked first.
  await retryOnConflict(kind, context, attempt, { asksFirst: true });
}
