import { addPeriods, noAmounts, type UsageAmounts } from '../../api/usage/usage-amounts.ts';
import {
  addToSlot,
  type Chunk,
  chunkOfSlot,
  dayRing,
  decodeChunk,
  encodeChunk,
  fortnightRing,
  keptChunks,
  type Ring,
  rings,
} from '../../api/usage/usage-rings.ts';
import type { Key } from '../../store/key.ts';
import { maxTransactionWrites, type RevisionCheck, type Store, type Write } from '../../store/store.ts';

/**
 * The slice with the usage of all subjects. Its rows are unlogged, because they have no observers. A key consists of
 * the ring, the chunk and the subject, so outdated rows are next to each other.
 */
export const usageSlice = 'usage';

/** The subject of recorded usage: an instance, a project, a cluster (each by its UID) or the whole installation. */
export type SubjectKey = `instance/${string}` | `project/${string}` | `cluster/${string}` | 'fleet';

/** The slots of the day ring that are not stored yet, by subject. */
export type PendingSlots = ReadonlyMap<SubjectKey, ReadonlyMap<number, UsageAmounts>>;

const dayChunkDigits = 8;
const readAtOnce = 16;
const pageSize = 500;

function keyOf(ring: Ring, chunk: number, subject: SubjectKey): Key {
  return { slice: usageSlice, segments: [ring.name, String(chunk).padStart(dayChunkDigits, '0'), subject] };
}

/** Returns the slots of a subject that are stored. */
export async function readSlots(
  store: Pick<Store, 'get'>,
  ring: Ring,
  subject: SubjectKey,
  now: number,
): Promise<Chunk> {
  const chunks = await Promise.all(
    keptChunks(ring, now).map(async (chunk) =>
      decodeChunk(ring, chunk, (await store.get(keyOf(ring, chunk, subject)))?.value),
    ),
  );
  return new Map(chunks.flatMap((chunk) => [...chunk]));
}

/**
 * Adds slots to the stored rings of their subjects. Calls `onStored` with the subjects of each transaction. The check
 * `fence` ensures that only one server does this at a time.
 */
export async function storeSlots(
  store: Pick<Store, 'get' | 'transact'>,
  pending: PendingSlots,
  fence: RevisionCheck | undefined,
  onStored: (subjects: readonly SubjectKey[]) => void,
): Promise<void> {
  let writes: Write[] = [];
  let subjects: SubjectKey[] = [];
  const commit = async () => {
    if (writes.length === 0) return;
    await store.transact({ checks: fence === undefined ? [] : [fence], writes });
    onStored(subjects);
    writes = [];
    subjects = [];
  };
  const all = [...pending];
  for (let start = 0; start < all.length; start += readAtOnce) {
    const part = all.slice(start, start + readAtOnce);
    const changed = await Promise.all(part.map(([subject, slots]) => changedRows(store, subject, slots)));
    for (const [index, [subject]] of part.entries()) {
      const rows = changed[index] ?? [];
      // Writes the rows of a subject in one transaction, so a failure never counts a slot in one ring only.
      if (writes.length + rows.length > maxTransactionWrites) await commit();
      writes.push(...rows);
      subjects.push(subject);
    }
  }
  await commit();
}

async function changedRows(
  store: Pick<Store, 'get'>,
  subject: SubjectKey,
  slots: ReadonlyMap<number, UsageAmounts>,
): Promise<Write[]> {
  const perHour = fortnightRing.slotSeconds / dayRing.slotSeconds;
  const hours = new Map<number, UsageAmounts>();
  for (const [slot, amounts] of slots) {
    const hour = Math.floor(slot / perHour);
    hours.set(hour, addPeriods(hours.get(hour) ?? noAmounts, amounts));
  }
  const rows = await Promise.all([
    changedChunks(store, dayRing, subject, slots),
    changedChunks(store, fortnightRing, subject, hours),
  ]);
  return rows.flat();
}

async function changedChunks(
  store: Pick<Store, 'get'>,
  ring: Ring,
  subject: SubjectKey,
  slots: ReadonlyMap<number, UsageAmounts>,
): Promise<Write[]> {
  const chunks = new Set([...slots.keys()].map((slot) => chunkOfSlot(ring, slot)));
  return await Promise.all(
    [...chunks].map(async (number) => {
      const key = keyOf(ring, number, subject);
      const chunk = decodeChunk(ring, number, (await store.get(key))?.value);
      for (const [slot, amounts] of slots) if (chunkOfSlot(ring, slot) === number) addToSlot(chunk, slot, amounts);
      return { key, value: encodeChunk(ring, chunk), unlogged: true };
    }),
  );
}

/** Removes all rows of a subject. */
export async function removeSubject(store: Pick<Store, 'transact'>, subject: SubjectKey, now: number): Promise<void> {
  const keys = rings.flatMap((ring) => keptChunks(ring, now).map((chunk) => keyOf(ring, chunk, subject)));
  await removeKeys(store, keys, undefined);
}

/** Removes the rows of all subjects that are older than the period of their ring. */
export async function removeOldRows(
  store: Pick<Store, 'list' | 'transact'>,
  now: number,
  fence: RevisionCheck | undefined,
): Promise<void> {
  for (const ring of rings) {
    const [oldest = 0] = keptChunks(ring, now);
    for (;;) {
      // The oldest rows are the first.
      const range = { slice: usageSlice, prefix: [ring.name] };
      const { entries } = await store.list(range, { limit: pageSize, skipCount: true });
      const old = entries.map(({ key }) => key).filter(({ segments }) => Number(segments[1]) < oldest);
      await removeKeys(store, old, fence);
      if (old.length < pageSize) break;
    }
  }
}

export async function removeKeys(
  store: Pick<Store, 'transact'>,
  keys: readonly Key[],
  fence: RevisionCheck | undefined,
): Promise<void> {
  for (let start = 0; start < keys.length; start += maxTransactionWrites) {
    const writes = keys
      .slice(start, start + maxTransactionWrites)
      .map((key) => ({ key, value: undefined, unlogged: true }));
    await store.transact({ checks: fence === undefined ? [] : [fence], writes });
  }
}

/** Returns the last stored amounts of each subject in the last two hours or more. */
export async function readLatestAmounts(
  store: Pick<Store, 'list'>,
  now: number,
): Promise<ReadonlyMap<string, UsageAmounts>> {
  const latest = new Map<string, UsageAmounts>();
  for (const number of keptChunks(dayRing, now).slice(-2)) {
    const range = { slice: usageSlice, prefix: [dayRing.name, String(number).padStart(dayChunkDigits, '0')] };
    for (let after: Key | undefined; ; ) {
      const page = await store.list(range, {
        limit: pageSize,
        skipCount: true,
        ...(after === undefined ? {} : { after }),
      });
      for (const { key, value } of page.entries) {
        const last = [...decodeChunk(dayRing, number, value)].at(-1);
        if (last !== undefined) latest.set(key.segments[2] ?? '', last[1]);
      }
      after = page.entries.at(-1)?.key;
      if (after === undefined || page.remaining === 0) break;
    }
  }
  return latest;
}
