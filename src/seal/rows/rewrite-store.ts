import type { Clock } from '../../lib/clock.ts';
import { wait } from '../../lib/wait.ts';
import type { Key } from '../../store/key.ts';
import type { Store } from '../../store/store.ts';
import type { EncryptedStore } from './encrypted-store.ts';

export interface RewriteStoreOptions {
  /** The store with the encrypted rows. */
  readonly encrypted: Store;
  readonly store: EncryptedStore;
  /** True if the stored text of a row must be written again. */
  isStale(key: Key, stored: string): boolean;
  isUnlogged(key: Key): boolean;
  /** Called with the number of rows to write, and then after each group of rows. */
  onProgress(total: number, done: number): void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The number of rows in a transaction. The limit is ten, because a transaction may contain ten checks. */
const rowsPerTransaction = 10;
const rowsPerPage = 200;
/** The pause after each page in milliseconds, so that requests are not delayed. */
const pauseMs = 20;
/**
 * The pause in milliseconds before the next attempt to rewrite rows that other writers changed during the previous
 * attempt.
 */
const retryMs = 1_000;

/**
 * Rewrites all rows that are stored in clear or encrypted with an older key, until there are no such rows. Can be
 * repeated after an interruption, because each row shows whether it was rewritten. Rejects with StoreError.
 */
export async function rewriteStore(options: RewriteStoreOptions): Promise<void> {
  const { clock, signal, onProgress } = options;
  let done = 0;
  while (!signal.aborted) {
    const slices = await staleSlices(options);
    const left = [...slices.values()].reduce((sum, count) => sum + count, 0);
    const total = done + left;
    onProgress(total, done);
    if (left === 0) return;
    const before = done;
    for (const slice of slices.keys()) {
      for await (const written of rewriteSlice(options, slice)) {
        done += written;
        onProgress(Math.max(total, done), done);
      }
    }
    if (done === before) await wait(clock, retryMs, signal);
  }
}

/** Returns the number of rows to write in each slice. */
async function staleSlices({ encrypted, isStale, signal }: RewriteStoreOptions): Promise<Map<string, number>> {
  const slices = new Map<string, number>();
  for await (const row of encrypted.dump()) {
    if (signal.aborted) break;
    if (row.row !== 'entry' || !isStale(row.key, row.value)) continue;
    slices.set(row.key.slice, (slices.get(row.key.slice) ?? 0) + 1);
  }
  return slices;
}

/** Yields, after each page, the number of rows written for it. */
async function* rewriteSlice(options: RewriteStoreOptions, slice: string): AsyncGenerator<number> {
  const { encrypted, store, isStale, isUnlogged, clock, signal } = options;
  let after: Key | undefined;
  while (!signal.aborted) {
    const page = { limit: rowsPerPage, skipCount: true, ...(after === undefined ? {} : { after }) };
    const { entries, remaining } = await encrypted.list({ slice, prefix: [] }, page);
    after = entries.at(-1)?.key;
    const rows = entries
      .filter(({ key, value }) => isStale(key, value))
      .map(({ key }) => ({ key, unlogged: isUnlogged(key) }));
    const groups: Promise<number>[] = [];
    for (let start = 0; start < rows.length; start += rowsPerTransaction) {
      groups.push(store.rewrite(rows.slice(start, start + rowsPerTransaction)));
    }
    const written = await Promise.allSettled(groups);
    for (const result of written) if (result.status === 'rejected') throw result.reason;
    yield written.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
    if (remaining === 0 || after === undefined) return;
    if (rows.length > 0) await wait(clock, pauseMs, signal);
  }
}
