import { groupResourceOf } from '../../api/resource.ts';
import { alreadyExists, conflict, qualifiedResource, requestTooLarge, serviceUnavailable } from '../../api/status.ts';
import { needsAwait } from '../../lib/maybe-promise.ts';
import { endSpanWith } from '../../lib/trace/span.ts';
import type { RevisionCheck, Write } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { deletedBuiltinMarker } from '../cache/builtin-object.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { ObjectKey } from '../cache/object-index.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { CompanionObject, Draft, StoredRecord } from '../resource.ts';
import type { EncodedRecord } from '../rows/encoded-record.ts';
import { derivedRows, noMaintenanceRows } from '../rows/maintenance-rows.ts';
import { encodeForCache } from '../rows/record.ts';
import { claimKey, objectRowKey, resourceKey } from '../rows/rows.ts';
import { toStatusError, withStatusErrors } from '../store-status.ts';
import { companionWrites, noCompanionChanges } from './companions.ts';
import { fenceFailed } from './fence-failed.ts';
import type { Guard } from './guard.ts';
import { isUrgent, maintenanceWorkOf } from './maintenance-work.ts';
import type { RequiredCheck } from './required-check.ts';

/** A change of one object that is to be committed. */
export interface ObjectWrite {
  readonly key: ObjectKey;
  /**
   * The version of the object that the write is based on. The write fails if another version is stored now. If absent,
   * the object must not exist yet.
   */
  readonly old?: CachedObject;
  /** The record to store. If absent, the write removes the object from the store. */
  readonly next?: StoredRecord;
  /** The draft of the write, with its guards and checks. `StoredResource.claimTaken` needs it for its error message. */
  readonly draft?: Draft;
  /** True if managedFields may be dropped from an object that is too large to be stored (rule CREATE-31). */
  readonly mayDropManagedFields?: boolean;
  /** True if the caller knows that the write needs no maintenance rows. */
  readonly leavesNoWork?: boolean;
  /** Additional checks for the transaction. */
  readonly requires?: readonly RequiredCheck[];
  /** The request that causes the write. If its `fence` fails, the write is refused. */
  readonly context?: Pick<RequestContext, 'fence' | 'span' | 'user' | 'responsible' | 'system'>;
}

/** Thrown if the object has changed since it was read. The write must be retried with the current object. */
export class ObjectChangedError extends Error {}

/**
 * Commits an object with its claims, owner index, maintenance rows and companions in one transaction. Returns the
 * revision of the write. Rejects with ObjectChangedError or an API error.
 */
export async function commit(kind: KindRuntime, write: ObjectWrite): Promise<number> {
  const { resource, store, slice } = kind;
  const { key, old, next } = write;
  const resourceName = resourceKey(resource);
  const rowKey = objectRowKey(slice, resourceName, key.namespace, key.name);
  const encoded = next === undefined ? undefined : encodeWithinLimit(kind, write, next);
  const claims = resource.claims === undefined ? noClaims : claimChanges(kind, write);
  const rows = write.leavesNoWork === true ? noMaintenanceRows : derivedRows(kind, key, old?.record, next);
  const derived = needsAwait(rows) ? await rows : rows;
  const companions =
    resource.companions === undefined ? noCompanionChanges : await companionWrites(kind, old?.record, next);
  const row = old === undefined ? kind.cache.deletedMarkerRevision(key) : old.rowRevision;
  const checks: RevisionCheck[] = [{ key: rowKey, revision: row }];
  for (const claim of claims.taken) checks.push({ key: claimKey(slice, resourceName, claim), revision: undefined });
  checks.push(...companions.checks);
  const guards = write.draft?.guards ?? noGuards;
  const required = requiredChecks(write, derived.checks, guards);
  // Copies only `key` and `revision`, because a message to another thread cannot contain functions.
  for (const check of required) checks.push({ key: check.key, revision: check.revision });
  if (write.context?.fence !== undefined) checks.push(write.context.fence);
  const value = encoded?.text ?? (kind.cache.isBuiltin(key) ? deletedBuiltinMarker : undefined);
  const writes: Write[] = [
    { key: rowKey, value },
    ...companions.writes,
    ...claims.writes,
    ...derived.writes,
    ...(resource.writtenAlongside?.(old?.record, next, write.context) ?? []),
    ...guards.map((guard) => ({ key: guard.key, value: '' })),
  ];
  const work = maintenanceWorkOf(derived.writes);
  const { bell } = kind.planeCallbacks;
  if (work !== undefined && bell !== undefined && isUrgent(work, kind.clock.now()))
    writes.push({ key: bell, value: JSON.stringify(work) });
  // Refuses the write because the kind was closed, for example because its definition was deleted. An object that is
  // written now would be missed when the objects of the kind are removed.
  if (kind.cache.ended)
    throw serviceUnavailable(`${qualifiedResource(groupResourceOf(resource))} are no longer served`, 1);
  const withdraw = announceRecord(kind, key, encoded);
  let revisions: readonly (number | undefined)[];
  try {
    const span = write.context?.span?.child('store commit');
    const transaction = { checks, writes, ...(isPartOfRemoval(write, encoded) ? { usesReserve: true } : {}) };
    revisions = await endSpanWith(span, store.transact(transaction));
  } catch (error) {
    if (isFenceFailure(write, checks, error)) throw fenceFailed();
    const checked: CheckedRows = { claims: claims.taken, companions: companions.added, required };
    throw await explainFailure(kind, write, checked, error);
  } finally {
    withdraw?.();
  }
  if (work !== undefined) kind.onMaintenanceWork(work);
  const revision = revisions[0];
  if (revision === undefined)
    throw new Error(`the store returned no revision for a write of ${qualifiedResource(groupResourceOf(resource))}`);
  return revision;
}

/** The number of characters by which an object may grow while it is being deleted, if the disk is full. */
const maxTerminatingGrowth = 4096;

/** True if the write removes the object, or changes an object that is being deleted without making it much larger. */
function isPartOfRemoval({ old, next }: ObjectWrite, encoded: EncodedRecord | undefined): boolean {
  if (next === undefined || encoded === undefined) return true;
  if (next.object.metadata.deletionTimestamp === undefined || old === undefined) return false;
  return encoded.text.length <= old.size + maxTerminatingGrowth;
}

const noGuards: readonly Guard[] = [];

/** Returns all checks except those of the object, its claims and its companions. Usually there are none. */
function requiredChecks(
  { requires, draft }: ObjectWrite,
  derived: readonly RequiredCheck[],
  guards: readonly Guard[],
): readonly RequiredCheck[] {
  if (requires === undefined && draft?.requires === undefined && guards.length === 0) return derived;
  return [...derived, ...(requires ?? []), ...(draft?.requires ?? []), ...guards];
}

/** True if the transaction failed because of the fence of the write. The fence is the last check of the transaction. */
function isFenceFailure({ context }: ObjectWrite, { length }: readonly RevisionCheck[], error: unknown): boolean {
  if (context?.fence === undefined || !(error instanceof StoreError)) return false;
  return error.code === 'CheckFailed' && error.detail === length - 1;
}

/**
 * Announces the decoded record to the cache, if the encoder returned one. Returns a function that withdraws the
 * announcement.
 */
function announceRecord(
  { cache }: KindRuntime,
  key: ObjectKey,
  encoded: EncodedRecord | undefined,
): (() => void) | undefined {
  if (encoded?.record === undefined) return undefined;
  return cache.expectRecord(key, encoded.text, encoded.record);
}

function encodeWithinLimit(kind: KindRuntime, write: ObjectWrite, next: StoredRecord): EncodedRecord {
  const limit = kind.limits.objectBytes;
  const before = kind.resource.form?.toStored === undefined ? undefined : write.old?.storedObject();
  const options = { isRead: kind.cache.readsDecoded, before };
  const encoded = encodeForCache(kind.resource, next, options);
  if (isWithin(encoded.text, limit)) return encoded;
  if (write.mayDropManagedFields === true && next.object.metadata.managedFields !== undefined) {
    const { managedFields: _, ...metadata } = next.object.metadata;
    const shorter = encodeForCache(kind.resource, { ...next, object: { ...next.object, metadata } }, options);
    if (isWithin(shorter.text, limit)) return shorter;
  }
  // kube-apiserver has the same message for a body that is too large.
  if (limit < kind.store.limits.valueBytes) throw requestTooLarge(`limit is ${limit}`);
  const size = Buffer.byteLength(encoded.text);
  throw requestTooLarge(`the object has ${size} bytes; the limit is ${limit} (server setting etcd.maxRequestBytes)`);
}

/**
 * True if the text has at most `limit` bytes in UTF-8. A UTF-16 code unit takes at most three bytes, so the bytes of a
 * short text need not be counted.
 */
function isWithin(text: string, limit: number): boolean {
  return 3 * text.length <= limit || Buffer.byteLength(text) <= limit;
}

const noClaims: ClaimChanges = { taken: [], writes: [] };

interface ClaimChanges {
  readonly taken: readonly string[];
  readonly writes: readonly Write[];
}

function claimChanges(kind: KindRuntime, write: ObjectWrite): ClaimChanges {
  const { taken, released } = newClaims(kind, write);
  const key = (claim: string) => claimKey(kind.slice, resourceKey(kind.resource), claim);
  const holder = describeKey(write.key);
  return {
    taken,
    writes: [
      ...released.map((claim) => ({ key: key(claim), value: undefined, unlogged: true })),
      ...taken.map((claim) => ({ key: key(claim), value: holder, unlogged: true })),
    ],
  };
}

function newClaims(kind: KindRuntime, write: ObjectWrite): { taken: string[]; released: string[] } {
  const claimsOf = (record: StoredRecord | undefined) =>
    new Set(record === undefined ? [] : (kind.resource.claims?.(record) ?? []));
  const before = claimsOf(write.old?.record);
  const after = claimsOf(write.next);
  return {
    taken: [...after].filter((claim) => !before.has(claim)),
    released: [...before].filter((claim) => !after.has(claim)),
  };
}

/**
 * Throws if another object holds a claim of this write. Only dry runs need this check; for other writes, the
 * transaction checks the claims.
 */
export async function checkClaims(kind: KindRuntime, write: ObjectWrite): Promise<void> {
  for (const claim of newClaims(kind, write).taken) {
    const row = await withStatusErrors(kind.store.get(claimKey(kind.slice, resourceKey(kind.resource), claim)));
    if (row !== undefined) throw claimTaken(kind, write, claim, row.value);
  }
}

function claimTaken(kind: KindRuntime, write: ObjectWrite, claim: string, holder: string): Error {
  const error = write.draft && kind.resource.claimTaken?.(claim, holder, write.draft);
  return error ?? conflict(groupResourceOf(kind.resource), write.key.name, `its claim is already held by "${holder}"`);
}

function describeKey({ namespace, name }: ObjectKey): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The rows that the transaction checks after the row of the object itself. */
interface CheckedRows {
  readonly claims: readonly string[];
  /** The companion that each check belongs to; `undefined` for a companion that the write changes. */
  readonly companions: readonly (CompanionObject | undefined)[];
  readonly required: readonly RequiredCheck[];
}

/**
 * Returns the error for a failed transaction. A transaction has its checks in this order: object, claims, companions,
 * required checks.
 */
async function explainFailure(
  kind: KindRuntime,
  write: ObjectWrite,
  { claims, companions, required }: CheckedRows,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof StoreError) || error.code !== 'CheckFailed') return toStatusError(error);
  const index = (error.detail ?? 0) - 1;
  const claim = claims[index];
  if (claim !== undefined) {
    const row = await withStatusErrors(kind.store.get(claimKey(kind.slice, resourceKey(kind.resource), claim)));
    return row === undefined ? new ObjectChangedError() : claimTaken(kind, write, claim, row.value);
  }
  const companion = companions[index - claims.length];
  if (companion !== undefined) {
    const { companionTaken: taken } = kind.resource;
    return taken?.(companion) ?? alreadyExists(groupResourceOf(companion.kind), companion.name);
  }
  // If a companion of an existing object has changed, the write is retried, so there is nothing to report.
  return required[index - claims.length - companions.length]?.onFailure?.() ?? new ObjectChangedError();
}
