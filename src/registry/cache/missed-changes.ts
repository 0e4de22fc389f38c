import { WorkBudget } from '../../lib/work-budget.ts';
import type { Entry, Observer } from '../../store/store.ts';
import { objectKeyText } from './builtin-objects.ts';
import { objectKeyFromSegments } from './cached-object-factory.ts';
import type { ObjectKey } from './object-index.ts';

/** The rows of a range at one revision. */
export interface RowState {
  readonly entries: readonly Entry[];
  readonly revision: number;
}

/** The difference between the row that a receiver holds for an object and the current row. */
export interface MissedChange {
  /** The revision of the current row. For a removal, the revision at which the rows were listed. */
  readonly revision: number;
  readonly isRemoval: boolean;
  /** Updates the object. Returns a function that passes the change to the listeners of the receiver. */
  apply(): () => void;
}

/** Receives the rows of one kind. The functions of a receiver must be fast and must not throw. */
export interface RowReceiver extends Observer {
  /** Called if changes were missed. Until `reloaded` is called, the received rows are not current. */
  interrupted(): void;
  /** Compares the received rows with the current ones. Returns the differences, in no particular order. */
  missedChanges(current: RowState): Promise<MissedChange[]>;
  /** Called after all missed changes were delivered. The received rows are now current as of this revision. */
  reloaded(revision: number): void;
}

/** The row of an object that a receiver holds. */
export interface HeldRow {
  readonly key: ObjectKey;
  readonly revision: number;
}

/**
 * Applies a missed change. `value` is the current value of the object's row, `undefined` if there is no row; `revision`
 * is the revision of the change. Returns a function that passes the change to listeners.
 */
type ApplyChange = (key: ObjectKey, value: string | undefined, revision: number) => () => void;

/** The number of rows that are compared per tick of the event loop. This takes about 2 ms. */
const rowsPerTick = 2_000;

/** Compares the rows that a receiver holds with the current rows. Returns the differences, with removals last. */
export async function findMissedChanges(
  held: Iterable<HeldRow>,
  { entries, revision }: RowState,
  apply: ApplyChange,
): Promise<MissedChange[]> {
  const budget = new WorkBudget(rowsPerTick);
  const missed: MissedChange[] = [];
  const removed = new Map<string, HeldRow>();
  for (const row of held) {
    removed.set(objectKeyText(row.key), row);
    if (budget.spend(1)) await budget.next();
  }
  for (const { key: rowKey, value, revision: written } of entries) {
    const key = objectKeyFromSegments(rowKey.segments);
    const text = objectKeyText(key);
    const before = removed.get(text);
    removed.delete(text);
    if (before?.revision !== written) {
      missed.push({ revision: written, isRemoval: false, apply: () => apply(key, value, written) });
    }
    if (budget.spend(1)) await budget.next();
  }
  for (const { key } of removed.values()) {
    missed.push({ revision, isRemoval: true, apply: () => apply(key, undefined, revision) });
  }
  return missed;
}

/** The number of missed changes that are delivered per tick of the event loop. */
const changesPerTick = 500;

/**
 * Delivers the changes that the receivers of several kinds have missed. First all objects are updated, so that a
 * listener that looks up other objects finds their current versions. Then the listeners receive the changes in the
 * order of revisions. Removals are last, because their order is unknown.
 */
export async function deliverMissedChanges(
  kinds: readonly { readonly receiver: RowReceiver; readonly entries: readonly Entry[] }[],
  revision: number,
): Promise<void> {
  const missed: MissedChange[] = [];
  for (const { receiver, entries } of kinds) {
    for (const change of await receiver.missedChanges({ entries, revision })) missed.push(change);
  }
  missed.sort((a, b) => Number(a.isRemoval) - Number(b.isRemoval) || a.revision - b.revision);
  const budget = new WorkBudget(changesPerTick);
  const notifications: (() => void)[] = [];
  for (const change of missed) {
    notifications.push(change.apply());
    if (budget.spend(1)) await budget.next();
  }
  let failure: { readonly error: unknown } | undefined;
  for (const notify of notifications) {
    try {
      notify();
    } catch (error) {
      // A listener failed. The next comparison would find no differences, so the remaining changes must be delivered
      // now.
      failure ??= { error };
    }
    if (budget.spend(1)) await budget.next();
  }
  for (const { receiver } of kinds) receiver.reloaded(revision);
  if (failure !== undefined) throw failure.error;
}
