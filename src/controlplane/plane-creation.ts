import { randomUUID } from 'node:crypto';
import { timestamp } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { PlaneCreation } from '../registry/cache/builtin-object.ts';
import { withStatusErrors } from '../registry/store-status.ts';
import type { Key } from '../store/key.ts';
import type { Entry, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';

/**
 * The stored row that marks a control plane as created. It contains the creation time (`born`), a random `seed`, and
 * the digest of the built-in objects (`standing`). The row's revision is the resourceVersion of the built-in objects.
 * If a new release changes these objects, the row is rewritten, so that watches receive the change.
 */
interface CreationRow {
  readonly born: string;
  readonly seed: string;
  readonly standing: string;
}

export function planeCreationKey(slice: string): Key {
  return { slice, segments: ['born'] };
}

export function planeCreationRowText(clock: Clock, builtinDigest: string): string {
  return JSON.stringify({
    born: timestamp(clock.now()),
    seed: randomUUID(),
    standing: builtinDigest,
  } satisfies CreationRow);
}

/** Reads the creation row of a plane. Returns `undefined` if the plane does not exist. */
export async function readPlaneCreationRow(store: Store, slice: string): Promise<Entry | undefined> {
  return await withStatusErrors(store.get(planeCreationKey(slice)));
}

export interface PlaneCreationOptions {
  readonly store: Store;
  readonly slice: string;
  readonly clock: Clock;
  /** The digest of the objects that every plane has without stored rows, in the current release. */
  readonly builtinDigest: string;
  /** The creation row of the plane, if the caller has read it already. Optional; otherwise it is read here. */
  readonly read?: Entry | undefined;
}

/** Returns the creation time, the seed and the revision of a plane. Creates the plane if it does not exist. */
export async function ensurePlaneCreated(options: PlaneCreationOptions): Promise<PlaneCreation> {
  const { store, slice, clock, builtinDigest, read } = options;
  const key = planeCreationKey(slice);
  for (let row = read; ; row = undefined) {
    row ??= await readPlaneCreationRow(store, slice);
    const known = row && (JSON.parse(row.value) as CreationRow);
    if (row !== undefined && known?.standing === builtinDigest) {
      return { seed: known.seed, createdAt: known.born, revision: row.revision };
    }
    const value =
      known === undefined
        ? planeCreationRowText(clock, builtinDigest)
        : JSON.stringify({ ...known, standing: builtinDigest });
    await writeUnlessChanged(store, row, { key, value });
  }
}

/** Writes the creation row unless it was changed concurrently. In both cases the caller then reads the row again. */
async function writeUnlessChanged(store: Store, old: Entry | undefined, write: { key: Key; value: string }) {
  try {
    await store.transact({ checks: [{ key: write.key, revision: old?.revision }], writes: [write] });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') await withStatusErrors(Promise.reject(error));
  }
}
