import { cloneJson, equalJson, type JsonObject } from '@flotilla/json';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict, deletedStatus, notFound, type StatusError } from '../../api/status.ts';
import { withAdmission } from '../admission.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { Draft, StoredRecord } from '../resource.ts';
import { removalNeedsNoRows } from '../rows/maintenance-rows.ts';
import type { DeleteOptions, DeleteResult } from '../verbs.ts';
import { commit } from '../write/commit.ts';
import { finalizersForDelete, finalizersOf } from '../write/finalizers.ts';
import { canBeRemoved, gracePeriodEnd, normalizeMetadata } from '../write/metadata.ts';
import { retryOnConflict } from '../write/retry-on-conflict.ts';
import { dryRunObject, writtenObject } from './written-object.ts';

/** Deletes one object: removes it at once, or marks it as terminating until nothing blocks its removal. */
export async function deleteObject(
  kind: KindRuntime,
  context: RequestContext,
  name: string,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const namespace = kind.resource.namespaced ? context.namespace : '';
  return retryOnConflict(kind, context, async () => {
    const current = kind.cache.get(namespace, name);
    if (current === undefined) throw notFound(groupResourceOf(kind.resource), name);
    checkPreconditions(kind, current, options);
    if (!context.system && kind.resource.guardDelete !== undefined) {
      await kind.resource.guardDelete(current.record, context);
    }
    const draft = new DeletedDraft(current);
    return withAdmission(kind, { operation: 'DELETE', subresource: '', draft, context, dryRun: options.dryRun }, () =>
      storeDeleted(kind, current, options),
    );
  });
}

/** The draft of the deleted object, decoded on demand. */
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

async function storeDeleted(kind: KindRuntime, current: CachedObject, options: DeleteOptions): Promise<DeleteResult> {
  const metadata = current.metadata();
  if (canRemoveImmediately(kind, metadata, options)) {
    const leavesNothing = removalNeedsNoRows(kind, current, metadata);
    if (!options.dryRun) await commit(kind, { key: current, old: current, leavesNoWork: leavesNothing });
    return { gone: deletedStatus(groupResourceOf(kind.resource), current.name, metadata.uid ?? '') };
  }
  const { record } = current;
  const object = markDeleted(kind, record.object, options);
  if (canBeRemoved(kind.resource, object, kind.clock.now())) {
    if (!options.dryRun) await commit(kind, { key: current, old: current });
    return { gone: deletedStatus(groupResourceOf(kind.resource), current.name, object.metadata.uid ?? '') };
  }
  if (object === record.object) return { pending: current.served };
  if (options.dryRun) return { pending: dryRunObject(kind, object, current.revision) };
  const { hidden = {} } = record;
  const revision = await commit(kind, { key: current, old: current, next: { object, hidden } });
  return { pending: writtenObject(kind, current, revision, { object, hidden }) };
}

/** True if nothing blocks the removal and no hook takes part in it. False may also mean that this is unknown. */
function canRemoveImmediately({ resource }: KindRuntime, metadata: ObjectMeta, options: DeleteOptions): boolean {
  if (
    resource.isDeletionBlocked !== undefined ||
    resource.prepareDelete !== undefined ||
    resource.gracePeriods === true
  ) {
    return false;
  }
  if (metadata.deletionTimestamp !== undefined) return false;
  return finalizersForDelete(metadata.finalizers ?? [], options.propagationPolicy).length === 0;
}

/** DELETE-11, DELETE-12. */
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

/** Returns the conflict error. It names the Kind, unlike other conflicts, unless the kind has its own message. */
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
 * Returns the object with its deletion started: finalizers by policy, deletionTimestamp and grace period. Returns the
 * same object if nothing changes (DELETE-09). A grace period can only become shorter (completions §2.1).
 */
function markDeleted(kind: KindRuntime, old: KubeObject, options: DeleteOptions): KubeObject {
  // The object is already being deleted, and its kind blocks the removal. Another delete changes nothing.
  if (old.metadata.deletionTimestamp !== undefined && kind.resource.isDeletionBlocked?.(old) === true) return old;
  const finalizers = finalizersForDelete(finalizersOf(old), options.propagationPolicy);
  const grace = kind.resource.gracePeriods === true ? graceSeconds(options) : 0;
  const newTimestamp = gracePeriodEnd(kind.clock.now(), grace);
  const oldTimestamp = old.metadata.deletionTimestamp;
  const shortens = oldTimestamp !== undefined && Date.parse(newTimestamp) < Date.parse(oldTimestamp);
  if (oldTimestamp !== undefined && !shortens && equalJson([...finalizers], [...finalizersOf(old)])) return old;
  // A deep copy is needed only for the kind's `prepareDelete`, which may change any member.
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

/** DELETE-18: a negative value counts as one second. */
function graceSeconds(options: DeleteOptions): number {
  const seconds = options.gracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/**
 * Handles an object whose deadline has passed, for maintenance: removes an object whose grace period is over, deletes
 * an object that has expired. An object that is gone or has a later deadline stays as it is.
 */
export async function handleDeadline(kind: KindRuntime, context: RequestContext, name: string): Promise<void> {
  const namespace = kind.resource.namespaced ? context.namespace : '';
  await retryOnConflict(kind, context, async () => {
    const current = kind.cache.get(namespace, name);
    if (current === undefined) return;
    if (canBeRemoved(kind.resource, current.record.object, kind.clock.now())) {
      await commit(kind, { key: current, old: current });
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
  });
}
