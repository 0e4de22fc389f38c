import { afterEach } from 'vitest';
import { type Clock, ManualClock } from '../../lib/clock.ts';
import type { Key, KeyRange } from '../key.ts';
import {
  type Change,
  defaultHistoryRetention,
  type HistoryRetention,
  maxTransactionWrites,
  type Revision,
  type Store,
} from '../store.ts';
import { StoreError, type StoreErrorCode } from '../store-error.ts';

/** Opens a new, empty store of the implementation under test. */
export type OpenStore = (options: { clock: Clock; retention: HistoryRetention }) => Promise<Store>;

/** Returns a function that opens stores. Each store is closed after its test. */
export function storeOpener(open: OpenStore) {
  const opened: Store[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  return async (options: { clock?: Clock; retention?: HistoryRetention } = {}): Promise<Store> => {
    const store = await open({
      clock: options.clock ?? new ManualClock(),
      retention: options.retention ?? defaultHistoryRetention,
    });
    opened.push(store);
    return store;
  };
}

export function storeKey(slice: string, ...segments: string[]): Key {
  return { slice, segments };
}

export function storeRange(slice: string, ...prefix: string[]): KeyRange {
  return { slice, prefix };
}

export async function putValue(store: Store, at: Key, value: string): Promise<Revision> {
  return logged(await store.transact({ writes: [{ key: at, value }] }));
}

/**
 * Writes a value to many keys in several transactions. The values are empty by default. Returns the revisions in order.
 */
export async function putMany(
  store: Store,
  keys: readonly Key[],
  textOf: (index: number) => string = () => '',
): Promise<Revision[]> {
  const revisions: Revision[] = [];
  for (let start = 0; start < keys.length; start += maxTransactionWrites) {
    const part = keys.slice(start, start + maxTransactionWrites);
    const written = await store.transact({
      writes: part.map((key, index) => ({ key, value: textOf(start + index) })),
    });
    revisions.push(...written.filter((revision) => revision !== undefined));
  }
  return revisions;
}

export async function removeKey(store: Store, at: Key): Promise<Revision> {
  return logged(await store.transact({ writes: [{ key: at, value: undefined }] }));
}

function logged(revisions: readonly (Revision | undefined)[]): Revision {
  const [revision] = revisions;
  if (revision === undefined) throw new Error('the write was expected to get a revision');
  return revision;
}

/** Returns the StoreError that a promise rejects with. Throws if it resolves or rejects with another error. */
export async function storeErrorOf(promise: Promise<unknown>): Promise<StoreError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('expected a rejection with a StoreError, but the promise resolved');
}

export async function storeErrorCodeOf(promise: Promise<unknown>): Promise<StoreErrorCode> {
  return (await storeErrorOf(promise)).code;
}

export async function collectAsync<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Returns the changes of a range after revision `since`, up to and including `to`. */
export async function historyOf(
  store: Store,
  range: KeyRange,
  since: Revision,
  to?: Revision,
): Promise<readonly Change[]> {
  return (await store.history(range, since, to === undefined ? {} : { to })).changes;
}
