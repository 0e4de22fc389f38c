import { groupResourceOf } from '../api/resource.ts';
import { alreadyExists, conflict, qualified, serviceUnavailable, tooLarge } from '../api/status.ts';
import { mustAwait } from '../lib/maybe-promise.ts';
import type { Check, Write } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { CachedObject } from './cached-object.ts';
import { companionWrites } from './companions.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { leftWork } from './left-work.ts';
import type { Place } from './object-index.ts';
import { type EncodedRecord, encodeShared } from './record.ts';
import type { Draft, StoredRecord } from './resource.ts';
import { claimKey, objectKey, resourceKey } from './rows.ts';
import { deletedText } from './standing-object.ts';
import { toStatusError, translated } from './store-status.ts';
import { derivedRows, noRows } from './upkeep-rows.ts';

/** One change of one object to be committed. */
export interface ObjectWrite {
  readonly place: Place;
  /** The version that must still be current; absent: there must be no object. */
  readonly old?: CachedObject;
  /** Absent: the object is removed. */
  readonly next?: StoredRecord;
  /** For the kind's own error message about a claim that is taken. */
  readonly draft?: Draft;
  /** True if an object that is too large may be stored without its managedFields (rule CREATE-31). */
  readonly mayForgetOwnership?: boolean;
  /** True if the write is known to leave no maintenance work. */
  readonly leavesNothing?: boolean;
  /** A further check; if it fails, the write starts over with the current state. */
  readonly requires?: Check | undefined;
}

/** The object is no longer the version that was read: read it again and start over. */
export class ObjectMoved extends Error {}

/**
 * Commits the object, its claims, its owner index entries, its maintenance work and its companions in one transaction.
 * Rejects with ObjectChangedError or with an API error.
 */
export async function commit(kind: KindRuntime, write: ObjectWrite): Promise<number> {
  const { resource, store, slice } = kind;
  const { place: key, old, next } = write;
  const resourceName = resourceKey(resource);
  const rowKey = objectKey(slice, resourceName, key.namespace, key.name);
  const encoded = next === undefined ? undefined : encodeWithinLimit(kind, write, next);
  const claims = resource.claims === undefined ? noClaims : claimChanges(kind, write);
  const rows = write.leavesNothing === true ? noRows : derivedRows(kind, key, old?.record, next);
  const derived = mustAwait(rows) ? await rows : rows;
  const companions = resource.companions === undefined ? noCompanions : await companionWrites(kind, old?.record, next);
  const row = old === undefined ? kind.cache.deletedRow(key) : old.row;
  const checks: Check[] = [{ key: rowKey, revision: row }];
  for (const claim of claims.taken) checks.push({ key: claimKey(slice, resourceName, claim), revision: undefined });
  checks.push(...companions.checks, ...derived.checks);
  if (write.requires !== undefined) checks.push(write.requires);
  const value = encoded?.text ?? (kind.cache.isStanding(key) ? deletedText : undefined);
  const createdAlongside = old === undefined && next !== undefined ? (resource.bornWith?.(next) ?? []) : [];
  const writes: Write[] = [
    { key: rowKey, value },
    ...companions.writes,
    ...claims.writes,
    ...derived.writes,
    ...createdAlongside,
  ];
  // The cache would not see this write, and the removal of the kind has already counted its objects.
  if (kind.cache.ended) throw serviceUnavailable(`${qualified(groupResourceOf(resource))} are no longer served`, 1);
  const withdraw = announceRecord(kind, key, encoded);
  let revisions: readonly (number | undefined)[];
  try {
    revisions = await store.transact({ checks, writes });
  } catch (error) {
    throw await explainFailure(kind, write, claims.taken, companions.checks.length, error);
  } finally {
    withdraw?.();
  }
  const work = leftWork(derived.writes);
  if (work !== undefined) kind.onUpkeep(work);
  const revision = revisions[0];
  if (revision === undefined)
    throw new Error(`the store returned no revision for a write of ${qualified(groupResourceOf(resource))}`);
  return revision;
}

/** Announces the decoded record to the cache, if this kind keeps decoded records. */
function announceRecord(
  { cache }: KindRuntime,
  key: Place,
  encoded: EncodedRecord | undefined,
): (() => void) | undefined {
  if (encoded?.record === undefined) return undefined;
  return cache.expect(key, encoded.text, encoded.record);
}

function encodeWithinLimit(kind: KindRuntime, write: ObjectWrite, next: StoredRecord): EncodedRecord {
  const limit = kind.limits.objectBytes;
  const isRead = kind.cache.areAskedFor;
  const encoded = encodeShared(kind.resource, next, isRead, write.draft?.document);
  if (isWithin(encoded.text, limit)) return encoded;
  if (write.mayForgetOwnership === true && next.object.metadata.managedFields !== undefined) {
    const { managedFields: _, ...metadata } = next.object.metadata;
    const shorter = encodeShared(kind.resource, { ...next, object: { ...next.object, metadata } }, isRead);
    if (isWithin(shorter.text, limit)) return shorter;
  }
  throw tooLarge(`limit is ${limit}`);
}

/** A UTF-16 code unit takes three bytes at most (four bytes are two units), so most texts need no counting. */
function isWithin(text: string, limit: number): boolean {
  return 3 * text.length <= limit || Buffer.byteLength(text) <= limit;
}

const noClaims: ClaimChanges = { taken: [], writes: [] };
const noCompanions: Awaited<ReturnType<typeof companionWrites>> = { checks: [], writes: [] };

interface ClaimChanges {
  readonly taken: readonly string[];
  readonly writes: readonly Write[];
}

function claimChanges(kind: KindRuntime, write: ObjectWrite): ClaimChanges {
  const { taken, released } = newClaims(kind, write);
  const key = (claim: string) => claimKey(kind.slice, resourceKey(kind.resource), claim);
  const holder = describeKey(write.place);
  return {
    taken,
    writes: [
      ...released.map((claim) => ({ key: key(claim), value: undefined, quiet: true })),
      ...taken.map((claim) => ({ key: key(claim), value: holder, quiet: true })),
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

/** Checks the claims for a dry run, which has no transaction. */
export async function checkClaims(kind: KindRuntime, write: ObjectWrite): Promise<void> {
  for (const claim of newClaims(kind, write).taken) {
    const row = await translated(kind.store.get(claimKey(kind.slice, resourceKey(kind.resource), claim)));
    if (row !== undefined) throw claimTaken(kind, write, claim, row.value);
  }
}

function claimTaken(kind: KindRuntime, write: ObjectWrite, claim: string, holder: string): Error {
  const error = write.draft && kind.resource.claimTaken?.(claim, holder, write.draft);
  return (
    error ?? conflict(groupResourceOf(kind.resource), write.place.name, `its claim is already held by "${holder}"`)
  );
}

function describeKey({ namespace, name }: Place): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Interprets a failed check by its index: the order is object, claims, companions, others. */
async function explainFailure(
  kind: KindRuntime,
  write: ObjectWrite,
  claims: readonly string[],
  companions: number,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof StoreError) || error.code !== 'CheckFailed') return toStatusError(error);
  const index = (error.detail ?? 0) - 1;
  const claim = claims[index];
  if (claim !== undefined) {
    const row = await translated(kind.store.get(claimKey(kind.slice, resourceKey(kind.resource), claim)));
    return row === undefined ? new ObjectMoved() : claimTaken(kind, write, claim, row.value);
  }
  const companion = companionOf(kind, write, index - claims.length, companions);
  if (companion !== undefined) return alreadyExists(groupResourceOf(companion.kind), companion.name);
  return new ObjectMoved();
}

function companionOf(kind: KindRuntime, write: ObjectWrite, index: number, count: number) {
  // A changed companion of an existing object is read again; only a new object can find the name of a companion taken.
  if (index < 0 || index >= count || write.next === undefined || write.old !== undefined) return undefined;
  return kind.resource.companions?.(write.next)[index];
}
