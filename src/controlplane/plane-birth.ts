import { randomUUID } from 'node:crypto';
import { timestamp } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { PlaneBirth } from '../registry/standing-object.ts';
import { translated } from '../registry/store-status.ts';
import type { Key } from '../store/key.ts';
import type { Entry, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';

/**
 * The row that every plane of the Kubernetes kind has, and that is all a new one has: when it was born, and which
 * standing objects it shows. Its revision is their resourceVersion; so it is written anew when a release brings others,
 * and whoever watches learns of them.
 */
interface BirthRow {
  readonly born: string;
  readonly seed: string;
  readonly standing: string;
}

export function birthKey(slice: string): Key {
  return { slice, segments: ['born'] };
}

export function birthText(clock: Clock, standing: string): string {
  return JSON.stringify({ born: timestamp(clock.now()), seed: randomUUID(), standing } satisfies BirthRow);
}

/** Undefined: there is no such plane. */
export async function birthOf(store: Store, slice: string): Promise<Entry | undefined> {
  return await translated(store.get(birthKey(slice)));
}

/**
 * When the plane was born: now, if it was not there. `standing` is the digest of what it is to show; `read` the row of
 * its birth, where somebody has read it already.
 */
export async function bornPlane(
  store: Store,
  slice: string,
  clock: Clock,
  standing: string,
  read?: Entry,
): Promise<PlaneBirth> {
  const key = birthKey(slice);
  for (let row = read; ; row = undefined) {
    row ??= await birthOf(store, slice);
    const known = row && (JSON.parse(row.value) as BirthRow);
    if (row !== undefined && known?.standing === standing) {
      return { seed: known.seed, born: known.born, revision: row.revision };
    }
    const value = known === undefined ? birthText(clock, standing) : JSON.stringify({ ...known, standing });
    await writeUnlessMoved(store, row, { key, value });
  }
}

/** Somebody else may have written it meanwhile: then what they wrote is read. */
async function writeUnlessMoved(store: Store, old: Entry | undefined, write: { key: Key; value: string }) {
  try {
    await store.transact({ checks: [{ key: write.key, revision: old?.revision }], writes: [write] });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') await translated(Promise.reject(error));
  }
}
