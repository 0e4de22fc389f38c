import type { Clock } from '../lib/clock.ts';
import type { Store, Write } from '../store/store.ts';
import { isCheckFailed } from './check-failed.ts';
import { type FormerRow, formerKey, type ReplicaRows, type StoredRow } from './replica-rows.ts';

const day = 24 * 60 * 60_000;

/**
 * The time for which a replica is remembered after it has left. During this time, searches of the audit log report that
 * the log of the replica is missing.
 */
const retentionMs = 30 * day;

/**
 * The maximum number of replicas that are remembered after they have left. There could be many such replicas if each
 * start uses a new replica ID.
 */
const maxFormer = 100;

/** The number of rows to remove at a time. */
const maxRemovals = 10;

/** Returns the write that records a former replica. The same transaction removes the registration of the replica. */
export function rememberFormer(id: string, clock: Pick<Clock, 'now'>, isExpelled: boolean): Write {
  const row: FormerRow = { leftAt: clock.now(), isExpelled };
  return { key: formerKey(id), value: JSON.stringify(row) };
}

/** Removes the rows of replicas that left too long ago. If there are too many rows, also removes the oldest. */
export async function forgetFormer(
  store: Pick<Store, 'transact'>,
  { former }: ReplicaRows,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  for (const [id, { revision }] of outdated([...former], clock.now()).slice(0, maxRemovals)) {
    const key = formerKey(id);
    try {
      await store.transact({ checks: [{ key, revision }], writes: [{ key, value: undefined }] });
    } catch (error) {
      // The row need not be removed: the replica has returned, or another replica has removed the row.
      if (!isCheckFailed(error)) throw error;
    }
  }
}

type FormerEntry = readonly [id: string, stored: StoredRow<FormerRow>];

function outdated(former: readonly FormerEntry[], now: number): readonly FormerEntry[] {
  const newestFirst = [...former].sort(([, a], [, b]) => b.row.leftAt - a.row.leftAt);
  return newestFirst.filter(([, { row }], index) => index >= maxFormer || row.leftAt < now - retentionMs);
}
