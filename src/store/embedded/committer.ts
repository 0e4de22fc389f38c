import type { Log } from '../../lib/log.ts';
import { andThen, type MaybePromise, needsAwait } from '../../lib/maybe-promise.ts';
import { SyncIoBreaker } from '../../lib/sync-io-breaker.ts';
import type { ChangeAge } from '../change-age.ts';
import type { ObserverHub } from '../hub.ts';
import type { Revision } from '../store.ts';
import { StoreError, sliceRemovedError, storeClosedError } from '../store-error.ts';
import { BatchCost } from './batch-cost.ts';
import type { DiskSpaceGuard, SpaceUse } from './disk-space-guard.ts';
import { GroupCommit } from './group-commit.ts';
import type { LevelDatabase } from './level-database.ts';
import type { StoreState } from './level-open.ts';
import { getRows, getRowsSync } from './level-rows.ts';
import { RowCache } from './row-cache.ts';
import { dataRowKey, decodePosition, decodeRow, positionRowKey, type StorePosition } from './row-codec.ts';
import { CommitStage, type Row, type RowRead, type SliceHead } from './stage.ts';
import { stageOperations } from './stage-operations.ts';

/** A unit of work for the committer: a transaction or a maintenance step such as a compaction. */
export interface CommitItem<T> {
  /** All rows that `run` reads. The committer loads them first. */
  readonly reads: readonly RowRead[];
  /** The approximate number of bytes that the item writes. */
  readonly bytes: number;
  readonly use: SpaceUse;
  /** Adds the writes of the item to the stage. If this throws, it must not have added any writes. */
  run(stage: CommitStage): T;
}

/** Statistics of one flush to disk, for metrics and tests. */
export interface FlushStats {
  readonly items: number;
  readonly operations: number;
}

interface Job {
  readonly work: CommitItem<unknown>;
  /** Runs the item on the stage. Returns a function that resolves or rejects the promise of the caller. */
  run(stage: CommitStage): () => void;
  fail(error: unknown): void;
}

/** The maximum number of queued items. Further items are rejected, because they would wait for seconds. */
const maxQueueLength = 16_384;
/**
 * The maximum size of a batch. A batch must be well below the write buffer of LevelDB (4 MiB or more), and the next
 * batch must not wait long.
 */
const maxBatchItems = 1024;
const maxBatchBytes = 2 * 1024 * 1024;
const maxAttempts = 2;
/**
 * If a batch has at least this many items, watches send the events of the batch before the writers are notified.
 * Otherwise the writers would send their next writes at the same time and delay the events.
 */
const manyWriters = 4;
/** The maximum number of rows that are read synchronously, on the main thread. This takes less than a millisecond. */
const maxSyncReads = 256;

/** The rows that a batch reads, by encoded key. `undefined` if a row does not exist. */
type Rows = Map<string, Row | undefined>;

interface CommitterOptions {
  readonly state: StoreState;
  readonly database: LevelDatabase;
  readonly diskSpace: DiskSpaceGuard;
  readonly hub: ObserverHub;
  readonly age: ChangeAge;
  readonly log: Log;
  readonly onFlush: ((flush: FlushStats) => void) | undefined;
}

/**
 * The only writer of the database. It stages all queued items in order, writes them as one batch with one flush,
 * publishes the changes, and resolves the promises of the callers. Every acknowledged item is therefore durable and
 * published. If a batch has many writers, watches are served before the writers continue.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #heads: Map<string, SliceHead>;
  #position: StorePosition;
  #queue: Job[] = [];
  readonly #cost = new BatchCost();
  readonly #groupCommit = new GroupCommit(this.#cost);
  #running: Promise<void> | undefined;
  #committing: Promise<void> | undefined;
  /** The batch whose write failed, until it is known whether the batch is on disk. */
  #unresolved: { readonly stage: CommitStage; readonly batch: number } | undefined;
  #closing = false;
  readonly #rowCache = new RowCache();
  readonly #syncReads = new SyncIoBreaker({ maxBlockMs: 5, maxOpenMs: 60_000 });

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#position = options.state.position;
    this.#heads = options.state.heads;
  }

  get revision(): Revision {
    return this.#position.revision;
  }

  get heads(): ReadonlyMap<string, SliceHead> {
    return this.#heads;
  }

  submit<T>(work: CommitItem<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closing) throw storeClosedError();
      if (this.#queue.length >= maxQueueLength) {
        throw new StoreError(
          'Unavailable',
          `too many writes are waiting for the disk (limit: ${maxQueueLength}); retry later`,
        );
      }
      this.#queue.push({
        work,
        run(stage) {
          try {
            const result = work.run(stage);
            return () => resolve(result);
          } catch (error) {
            return () => reject(error);
          }
        },
        fail: reject,
      });
      this.#groupCommit.onQueued(this.#queue.length);
      this.#running ??= this.#run();
    });
  }

  /**
   * Waits until all changes up to this revision are published. A read may return a newer state than the observers have
   * received, so each read waits for this before it returns.
   */
  async published(revision: Revision): Promise<void> {
    while (revision > this.#position.revision && this.#committing !== undefined) await this.#committing;
  }

  /** Rejects new items and waits until all queued items are committed. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#groupCommit.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    await letWritersQueue();
    while (this.#queue.length > 0) {
      const mayBegin = this.#groupCommit.waitToBegin(this.#queue.length);
      if (mayBegin !== undefined) {
        await mayBegin;
        await letWritersQueue();
      }
      const jobs = this.#take();
      this.#committing = this.#commit(jobs);
      await this.#committing;
      this.#committing = undefined;
      this.#groupCommit.onWritten(jobs.length, this.#queue.length);
      await letWritersQueue();
    }
    this.#running = undefined;
  }

  /** Removes the next batch from the front of the queue. */
  #take(): Job[] {
    let bytes = 0;
    const end = this.#queue.findIndex(({ work }, index) => {
      bytes += work.bytes;
      return index > 0 && (index >= maxBatchItems || bytes > maxBatchBytes);
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  /** Commits a batch. Never rejects; errors go to the promises of the callers. */
  async #commit(taken: readonly Job[]): Promise<void> {
    let jobs = taken;
    try {
      if (this.#options.database.mustReopen) await this.#recover();
      const checkingSpace = this.#checkSpace(jobs);
      if (checkingSpace !== undefined) jobs = await checkingSpace;
      if (jobs.length === 0) return;
      const reading = this.#read(jobs);
      const rows = needsAwait(reading) ? await reading : reading;
      const stage = new CommitStage({
        revision: this.#position.revision,
        row: (text) => rows.get(text),
        head: (slice) => this.#heads.get(slice),
      });
      const notifications = jobs.map((job) => job.run(stage));
      if (!stage.empty) await this.#write(stage, jobs.length);
      if (jobs.length >= manyWriters) await this.#letObserversFinish();
      for (const notify of notifications) notify();
    } catch (error) {
      for (const job of jobs) job.fail(error);
    }
  }

  /**
   * Returns all rows that the items read. The result is a promise only if rows must be read from disk asynchronously.
   */
  #read(jobs: readonly Job[]): MaybePromise<Rows> {
    const rows: Rows = new Map();
    const uncached = new Set<string>();
    for (const { work } of jobs) {
      for (const { text } of work.reads) {
        if (rows.has(text)) continue;
        const cached = this.#rowCache.get(text);
        if (cached === undefined) uncached.add(text);
        else rows.set(text, cached);
      }
    }
    if (uncached.size === 0) return rows;
    const texts = [...uncached];
    const stored = this.#storedRows(texts.map(dataRowKey));
    return andThen(stored, (found) => this.#addStored(rows, texts, found));
  }

  #addStored(rows: Rows, texts: readonly string[], stored: readonly (string | undefined)[]): Rows {
    texts.forEach((text, index) => {
      const found = stored[index];
      if (found === undefined) return;
      const row = decodeRow(found);
      rows.set(text, row);
      this.#rowCache.onRead(text, row);
    });
    return rows;
  }

  /** Reads rows. A few rows are read synchronously, because a read from a cache is faster than a switch of threads. */
  #storedRows(rows: readonly string[]): MaybePromise<(string | undefined)[]> {
    const { database } = this.#options;
    const readsSync = rows.length <= maxSyncReads && this.#syncReads.allowsSync();
    const now = readsSync ? this.#syncReads.run(() => database.readSync((db) => getRowsSync(db, rows))) : undefined;
    return now ?? database.read((db) => getRows(db, rows));
  }

  /**
   * Rejects the items for which the disk has too little free space. Returns all other items. Items that free space may
   * use more of the remaining space.
   */
  #checkSpace(jobs: readonly Job[]): Promise<readonly Job[]> | undefined {
    let bytes = 0;
    for (const { work } of jobs) bytes += work.bytes;
    return this.#options.diskSpace.check(bytes)?.then((refusal) =>
      jobs.filter((job) => {
        const error = refusal(job.work.use);
        if (error !== undefined) job.fail(error);
        return error === undefined;
      }),
    );
  }

  async #write(stage: CommitStage, items: number): Promise<void> {
    const { database, age, onFlush } = this.#options;
    const batch = this.#position.batch + 1;
    const operations = stageOperations(stage, batch, age.stamp());
    for (let attempt = 1; ; attempt++) {
      try {
        const startedAt = performance.now();
        await database.write(operations);
        this.#cost.flushed(performance.now() - startedAt);
        break;
      } catch (error) {
        this.#rowCache.clear();
        this.#unresolved = { stage, batch };
        if (await this.#wasWritten(error)) return;
        // Throws if the database could not be reopened, or if the reopened database still lacks the batch after a
        // second attempt. One retry is needed because LevelDB rejects all writes after an error in its background
        // thread, until it is reopened.
        if (database.mustReopen || attempt === maxAttempts) throw error;
      }
    }
    this.#adopt(stage, batch);
    onFlush?.({ items, operations: operations.length });
  }

  async #wasWritten(error: unknown): Promise<boolean> {
    this.#options.log.error({ error }, 'a write to the store failed; reopening the database');
    try {
      return await this.#recover();
    } catch (failure) {
      this.#options.log.error(
        { error: failure },
        'the store does not accept writes; reads continue. Check the disk of the data directory',
      );
      return false;
    }
  }

  /**
   * Reopens the database and finds out whether the batch with the unknown result is on disk. Returns true if the batch
   * is on disk.
   */
  async #recover(): Promise<boolean> {
    const { database } = this.#options;
    await database.reopen();
    const [stored] = await database.read((db) => getRows(db, [positionRowKey]));
    const unresolved = this.#unresolved;
    this.#unresolved = undefined;
    if (unresolved === undefined || stored === undefined) return false;
    if (decodePosition(stored).batch !== unresolved.batch) return false;
    this.#adopt(unresolved.stage, unresolved.batch);
    return true;
  }

  /** Waits until observers have done work that they deferred to the next tick, and until watches have sent events. */
  async #letObserversFinish(): Promise<void> {
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (this.#cost.wakesReaders) await letWritersQueue();
  }

  #adopt(stage: CommitStage, batch: number): void {
    this.#position = { revision: stage.revision, batch };
    for (const [text, row] of stage.rows) this.#rowCache.onWritten(text, row);
    const removed: string[] = [];
    for (const [slice, head] of stage.heads) {
      if (head !== undefined) this.#heads.set(slice, head);
      else {
        this.#heads.delete(slice);
        removed.push(slice);
      }
    }
    // Clears the cache, because it may contain rows of a slice that this batch has removed.
    if (removed.length > 0) this.#rowCache.clear();
    this.#options.hub.publish(stage.logged, this.#cost);
    for (const slice of removed) {
      this.#options.hub.endSlice(slice, sliceRemovedError());
    }
  }
}

/** Waits until all writers that are ready have submitted their items, so that these items share one flush. */
function letWritersQueue(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
