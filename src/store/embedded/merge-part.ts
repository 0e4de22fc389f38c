import type { LevelHandle } from './level.ts';
import type { RemovedRange } from './removed-rows.ts';

/**
 * The approximate size of the tables that are merged at once. Without this limit, LevelDB would merge a whole range in
 * one step if the tables of the upper level contain only removals, which are small. Such a merge would need as much
 * free space as the whole range.
 */
const maxPartBytes = 16 * 1024 * 1024;
/** The number of keys between two measurements, and the maximum number of keys of a part. */
const [keysAtOnce, maxKeys] = [64, 16_384] as const;

/** Merges the tables of the first part of a range. Returns the rest of the range, `undefined` if nothing is left. */
export async function mergeFirstPart(db: LevelHandle, range: RemovedRange): Promise<RemovedRange | undefined> {
  const { first, last } = range;
  const end = await endOfFirstPart(db, range);
  await db.compactRange(first, end ?? last);
  return end === undefined ? undefined : { first: end, last };
}

/** Returns the existing row at which the first part ends; `undefined` if the range is small enough to be one part. */
async function endOfFirstPart(db: LevelHandle, { first, last }: RemovedRange): Promise<string | undefined> {
  const iterator = db.keys({ gt: first, lt: last });
  try {
    for (let count = 0; ; count += keysAtOnce) {
      const end = (await iterator.nextv(keysAtOnce)).at(-1);
      if (end === undefined) return undefined;
      if (count >= maxKeys || (await db.approximateSize(first, end)) > maxPartBytes) return end;
    }
  } finally {
    await iterator.close();
  }
}
