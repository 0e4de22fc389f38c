import { equalExceptTimes } from '@flotilla/field-ownership';
import { cloneJson, equalJson } from '@flotilla/json';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { needsAwait } from '../../lib/maybe-promise.ts';
import { admitAndStore } from '../admission.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { toWriteResult } from '../cache/served.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { mutateUpdate } from '../mutation.ts';
import type { Draft, KeptMetadata, StoredRecord } from '../resource.ts';
import type { WriteOptions, WriteResult } from '../verbs.ts';
import { checkClaims, commit, type ObjectWrite } from '../write/commit.ts';
import { completeMainDraft, completeStatusDraft } from '../write/complete-draft.ts';
import { draftCopy, setStatus } from '../write/draft-copy.ts';
import { canBeRemoved, updatedMetadata } from '../write/metadata.ts';
import { rejectOversized } from '../write/reject-oversized.ts';
import { confirmCurrent } from '../write/retry-on-conflict.ts';
import { sentFieldsOf, trackDraft } from '../write/track-write.ts';
import type { VerbContext } from './verb-context.ts';
import { dryRunObject, removedObject, writtenObject } from './written-object.ts';

export interface OverwriteOptions {
  /** The part of the object that is written: the status, or everything else (`main`). */
  readonly part: 'main' | 'status';
  /**
   * The subresource in the request path: '' for the object itself, `status`, or another subresource such as `scale`.
   */
  readonly subresource: string;
  readonly dryRun: boolean;
  /** The kind of the object that admission receives (`WriteOptions.admittedAs`). */
  readonly admittedAs?: NonNullable<WriteOptions['admittedAs']>;
  /** True if the sent object was derived from the current object and decoded by the current schema (patch, apply). */
  readonly isDecoded?: boolean;
  /** Updates managedFields. Called after all other changes to the object. */
  track(next: KubeObject, live: KubeObject): KubeObject;
  /**
   * True if managedFields may be dropped from an object that is too large to be stored (CREATE-31). False for apply,
   * because apply depends on managedFields.
   */
  readonly mayDropManagedFields: boolean;
}

/** Returns the subresource in the request path; '' if the request writes the object itself. */
export function subresourceOf(part: OverwriteOptions['part'], options: Pick<WriteOptions, 'subresource'>): string {
  return options.subresource ?? (part === 'status' ? 'status' : '');
}

/**
 * Replaces a part of the object. Writes nothing if nothing changes (UPDATE-15). If this write removes the last obstacle
 * to the removal of a terminating object, removes the object (UPDATE-18). `sent` is the complete desired object. Its
 * members outside the written part are ignored.
 */
export async function overwrite(
  { kind, context }: VerbContext,
  current: CachedObject,
  sent: KubeObject,
  options: OverwriteOptions,
): Promise<WriteResult> {
  if (options.part === 'main') rejectOversized(kind, sent, current.record.object);
  const { subresource, dryRun } = options;
  const old = current.record.object;
  const mutating = mutateUpdate(kind, { operation: 'UPDATE', subresource, object: sent, old, context, dryRun });
  const written = needsAwait(mutating) ? await mutating : mutating;
  const partOf = options.part === 'main' ? mainPart : statusPart;
  const draft: Draft = {
    object: partOf(kind, current.record, written),
    hidden: cloneJson(current.record.hidden ?? {}),
    old: current.record,
  };
  if (context.system) context.changeHidden?.(draft.hidden);
  // Fields that mutating admission changes keep their owners. Fields that mutating admission adds have no owner.
  const sentFields = written === sent ? sentFieldsOf(kind, draft.object) : partOf(kind, current.record, sent);
  const { form } = kind.resource;
  const isInForm = options.isDecoded === true && form !== undefined && current.isStoredIn(form);
  const completing =
    options.part === 'main'
      ? completeMainDraft(kind, context, draft, { subresource: options.subresource, isInForm })
      : completeStatusDraft(kind, context, draft, { subresource: options.subresource, isInForm });
  if (needsAwait(completing)) await completing;
  draft.object = trackDraft(draft.object, sentFields, (next) => options.track(next, current.record.object));
  const admitted = admittedDraft(draft, current.record, options);
  const requestKind = options.admittedAs?.kind;
  return admitAndStore(
    kind,
    { operation: 'UPDATE', subresource, requestKind, draft: admitted, context, dryRun },
    () => {
      if (admitted.guards !== undefined) draft.guards = admitted.guards;
      return storeUpdate({ kind, context }, current, draft, options);
    },
  );
}

/**
 * Returns the draft for admission: the draft of the object, or with `admittedAs` a draft of the object in the request,
 * such as a Scale.
 */
function admittedDraft(draft: Draft, old: StoredRecord, { admittedAs }: OverwriteOptions): Draft {
  if (admittedAs === undefined) return draft;
  return { object: admittedAs.of(draft.object), hidden: {}, old: { object: admittedAs.of(old.object) } };
}

async function storeUpdate(
  { kind, context }: VerbContext,
  current: CachedObject,
  draft: Draft,
  options: OverwriteOptions,
): Promise<WriteResult> {
  const next: StoredRecord = { object: draft.object, hidden: draft.hidden };
  if (unchanged(current.record, next) && !current.isStoredInOldVersion) {
    const confirming = confirmCurrent(kind, current);
    if (needsAwait(confirming)) await confirming;
    return toWriteResult(current.served, false);
  }
  const isRemoved = canBeRemoved(kind.resource, draft.object, kind.clock.now());
  const write: ObjectWrite = {
    key: current,
    old: current,
    draft,
    mayDropManagedFields: options.mayDropManagedFields,
    context,
    ...(isRemoved ? {} : { next }),
  };
  if (options.dryRun) {
    await checkClaims(kind, write);
    return toWriteResult(dryRunObject(kind, draft.object, current.revision), false);
  }
  const revision = await commit(kind, write);
  const served = isRemoved
    ? removedObject(kind, draft.object, current.revision)
    : writtenObject(kind, current, revision, draft);
  return toWriteResult(served, false);
}

function mainPart({ resource }: KindRuntime, old: StoredRecord, sent: KubeObject): KubeObject {
  const object = draftCopy(resource, sent);
  object.metadata = updatedMetadata(object.metadata, old.object.metadata);
  if (resource.hasStatus) setStatus(resource, object, old.object.status);
  return object;
}

/**
 * Returns the current object with the sent status, and with the sent metadata if the kind allows that. Everything else
 * stays unchanged (STATUS-02).
 */
function statusPart({ resource }: KindRuntime, old: StoredRecord, sent: KubeObject): KubeObject {
  const object = draftCopy(resource, old.object);
  if (resource.statusWritesMetadata === true) {
    const written = cloneJson(sent.metadata);
    for (const member of resource.statusKeepsMetadata ?? []) keepMember(written, old.object.metadata, member);
    object.metadata = updatedMetadata(written, old.object.metadata);
  }
  setStatus(resource, object, sent.status);
  return object;
}

function keepMember<M extends KeptMetadata>(metadata: ObjectMeta, old: ObjectMeta, member: M): void {
  const kept = old[member];
  if (kept === undefined) delete metadata[member];
  else metadata[member] = kept;
}

/** True if a write changes nothing. A write that would only update times in managedFields changes nothing (SSA-26). */
function unchanged(old: StoredRecord, next: StoredRecord): boolean {
  return equalExceptTimes(old.object, next.object) && equalJson(old.hidden ?? {}, next.hidden ?? {});
}
