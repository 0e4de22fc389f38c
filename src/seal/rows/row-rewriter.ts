import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import type { Key } from '../../store/key.ts';
import type { Store } from '../../store/store.ts';
import { isStoreClosed, StoreError } from '../../store/store-error.ts';
import type { Keyring } from '../keyring/keyring.ts';
import { SealError } from '../open-sealer.ts';
import type { EncryptedStore } from './encrypted-store.ts';
import { rewriteStore } from './rewrite-store.ts';
import type { RowCipher } from './row-cipher.ts';

/** The progress of a rewrite of all rows. */
export interface StoredProgress {
  /** The time at which the rewrite was requested. */
  readonly since: string;
  /** The number of rows to write; absent until they are counted. */
  readonly total?: number;
  readonly done: number;
  /** The reason why no rows can be written now. */
  readonly problem?: string;
}

export interface RowRewriterOptions {
  /** The store with the encrypted rows. */
  readonly encrypted: Store;
  readonly store: EncryptedStore;
  readonly keyring: Keyring;
  readonly cipher: RowCipher;
  /** True if the row is always stored in clear. */
  isExempt(key: Key): boolean;
  isUnlogged(key: Key): boolean;
  /** Called before each rewrite, and about once per minute. */
  prepare?(): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The row with the progress. It is stored in clear. */
const progressKey: Key = { slice: 'installation', segments: ['rewrite'] };
/** The shortest time between two records of the progress, in milliseconds. */
const recordMs = 2_000;
/** The time after which `prepare` is called again. */
const pollMs = 60_000;
const retryBackoff = { initialMilliseconds: 1_000, maxMilliseconds: 10_000 };

/**
 * Rewrites rows whenever the keyring requests a rewrite, until all rows have the form that the cipher writes now. Waits
 * while rows cannot be written, for example because the disk is full. Only one process may run a RowRewriter at a time.
 */
export class RowRewriter {
  readonly #options: RowRewriterOptions;
  /** The reason why this process cannot rewrite rows now. */
  #problem: string | undefined;

  constructor(options: RowRewriterOptions) {
    this.#options = options;
  }

  /** Returns the progress of the rewrite that was requested at this time, by this or another process. */
  async progress(since: string): Promise<StoredProgress> {
    const { encrypted } = this.#options;
    const progress = await this.#stored(since);
    // If nothing can be written, the process that rewrites the rows cannot store the reason. This process therefore
    // determines the reason itself.
    const problem =
      this.#problem ?? progress.problem ?? (await encrypted.assertWritable().then(() => undefined, reasonOf));
    return problem === undefined ? progress : { ...progress, problem };
  }

  /** Starts the work. Returns a function that stops it. */
  start(): () => Promise<void> {
    const closing = new AbortController();
    const running = this.#run(closing.signal);
    return async () => {
      closing.abort();
      await running;
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { keyring, clock, log } = this.#options;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#options.prepare?.();
        const since = keyring.record.rewriteSince;
        if (since !== undefined) await this.#rewrite(since, signal);
        failures = 0;
        if (keyring.record.rewriteSince === undefined) await this.#nextChange(signal);
      } catch (error) {
        if (isStoreClosed(error) || signal.aborted) break;
        failures++;
        if (this.#problem !== reasonOf(error))
          log.warn({ error }, 'cannot rewrite the rows of the store; trying again');
        await this.#recordProblem(reasonOf(error));
        await wait(clock, backoffDelay(failures, retryBackoff), signal);
      }
    }
    this.#problem = undefined;
  }

  /** Stores the problem for other processes, if that is possible. */
  async #recordProblem(problem: string): Promise<void> {
    const { keyring, encrypted } = this.#options;
    const isNew = this.#problem !== problem;
    this.#problem = problem;
    const since = keyring.record.rewriteSince;
    if (!isNew || since === undefined) return;
    try {
      const value = JSON.stringify({ ...(await this.#stored(since)), problem });
      await encrypted.transact({ writes: [{ key: progressKey, value }] });
    } catch {
      // A failure is ignored, because every other process then determines the reason itself.
    }
  }

  /** Resolves after the keyring has changed, or after some time. */
  async #nextChange(signal: AbortSignal): Promise<void> {
    const { keyring, clock } = this.#options;
    const changed = new AbortController();
    const unsubscribe = keyring.listen(() => changed.abort());
    try {
      await wait(clock, pollMs, AbortSignal.any([signal, changed.signal]));
    } finally {
      unsubscribe();
    }
  }

  async #rewrite(since: string, signal: AbortSignal): Promise<void> {
    const { encrypted, store, keyring, cipher, isExempt, isUnlogged, clock, log } = this.#options;
    // The keyring is read again first: without the newest data key, this process would encrypt with an older one.
    if (keyring.problem !== undefined) await keyring.reload();
    if (keyring.problem !== undefined) throw new SealError(keyring.problem);
    // The rows are counted only if they can be written, because counting reads the whole store.
    await encrypted.assertWritable();
    let recordedAt = Number.NEGATIVE_INFINITY;
    const record = (progress: StoredProgress) => {
      if (clock.elapsed() - recordedAt < recordMs) return;
      recordedAt = clock.elapsed();
      const value = JSON.stringify(progress);
      // A failed write is ignored, because the next record of the progress replaces it.
      encrypted.transact({ writes: [{ key: progressKey, value }] }).catch(() => {});
    };
    await rewriteStore({
      encrypted,
      store,
      isStale: (key, stored) => !isExempt(key) && cipher.isStale(stored),
      isUnlogged,
      onProgress: (total, done) => {
        if (done > 0) this.#problem = undefined;
        record({ since, total, done });
      },
      clock,
      signal,
    });
    if (signal.aborted) return;
    const rewrittenAt = new Date(clock.now()).toISOString();
    await keyring.update(async (stored) => {
      if (stored.rewriteSince !== since) return undefined;
      const { rewriteSince: _ended, ...rest } = stored;
      return { ...rest, rewrittenAt };
    });
    this.#problem = undefined;
    log.info({}, 'rewrote all rows of the store');
  }

  async #stored(since: string): Promise<StoredProgress> {
    const entry = await this.#options.encrypted.get(progressKey);
    const progress = entry === undefined ? undefined : (JSON.parse(entry.value) as StoredProgress);
    return progress?.since === since ? progress : { since, done: 0 };
  }
}

/** Returns the message of an error for the status. */
function reasonOf(error: unknown): string {
  if (error instanceof StoreError || error instanceof SealError) return error.message;
  return 'an internal error; see the log of the server';
}
