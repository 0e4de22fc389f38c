import { randomUUID } from 'node:crypto';
import { timestamp } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { PlaneCreation } from '../registry/cache/builtin-object.ts';
import { withStatusErrors } from '../registry/store-status.ts';
import type { Key } from '../store/key.ts';
import type { Entry, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';

/**
 * The creation row, which every Kubernetes control plane has; a new plane has no other. It records when the plane was
 * created and which built-in objects it has. Its revision is the resourceVersion of those objects. A release with other
 * built-in objects therefore rewrites it, which notifies watches.
 */
interface CreationRow {
  readonly born: string;
  readonly seed: string;
  readonly standing: string;
}

export function creationKey(slice: string): Key {
  return { slice, segments: ['born'] };
}

export function creationRowText(clock: Clock, builtinDigest: string): string {
  return JSON.stringify({
    born: timestamp(clock.now()),
    seed: randomUUID(),
    standing: builtinDigest,
  } satisfies CreationRow);
}

/** Reads the creation row; `undefined` if there is no such plane. */
export async function readCreationRow(store: Store, slice: string): Promise<Entry | undefined> {
  return await withStatusErrors(store.get(creationKey(slice)));
}

export interface PlaneCreationOptions {
  readonly store: Store;
  readonly slice: string;
  readonly clock: Clock;
  /** The digest of the built-in objects that the plane must have. */
  readonly builtinDigest: string;
  /** The plane's creation row, if the caller has read it. */
  readonly read?: Entry | undefined;
}

/** Returns the creation time, seed and revision of the plane. Creates the plane if it does not exist. */
export async function ensurePlaneCreated(options: PlaneCreationOptions): Promise<PlaneCreation> {
  const { store, slice, clock, builtinDigest, read } = options;
  const key = creationKey(slice);
  for (let row = read; ; row = undefined) {
    row ??= await readCreationRow(store, slice);
    const known = row && (JSON.parse(row.value) as CreationRow);
    if (row !== undefined && known?.standing === builtinDigest) {
      return { seed: known.seed, createdAt: known.born, revision: row.revision };
    }
    const value =
      known === undefined
        ? creationRowText(clock, builtinDigest)
        : JSON.stringify({ ...known, standing: builtinDigest });
    await writeUnlessChanged(store, row, { key, value });
  }
}

/** Writes the row. If another writer was faster, the caller reads that writer's row instead. */
async function writeUnlessChanged(store: Store, old: Entry | undefined, write: { key: Key; value: string }) {
  try {
    await store.transact({ checks: [{ key: write.key, revision: old?.revision }], writes: [write] });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') await withStatusErrors(Promise.reject(error));
  }
}
