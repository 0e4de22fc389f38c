import type { Log } from '../../lib/log.ts';
import { andThen, type MaybePromise, mustAwait } from '../../lib/maybe-promise.ts';
import { SyncIoBreaker } from '../../lib/sync-io-breaker.ts';
import type { ChangeAge } from '../change-age.ts';
import type { Hub } from '../hub.ts';
import type { Revision } from '../store.ts';
import { StoreError, storeClosed } from '../store-error.ts';
import { BatchCost } from './batch-cost.ts';
import type { DiskSpaceGuard } from './disk-space-guard.ts';
import { GroupCommit } from './group-commit.ts';
import type { LevelDatabase } from './level-database.ts';
import type { StoreState } from './level-open.ts';
import { getRows, getRowsSync } from './level-rows.ts';
import { RowCache } from './row-cache.ts';
import { dataRow, decodePosition, decodeRow, type Position, positionRow } from './row-codec.ts';
import { type Row, type RowRead, type SliceHead, Stage } from './stage.ts';
import { stageOperations } from './stage-operations.ts';

/** One item to commit: a transaction or a piece of maintenance. */
export interface WorkItem<T> {
  /** Every row that `run` reads. */
  readonly reads: readonly RowRead[];
  /** The approximate number of bytes that the item writes. */
  readonly bytes: number;
  readonly isMaintenance: boolean;
  /** Stages the item, or throws without having staged anything. */
  run(stage: Stage): T;
}

/** One flush to disk, for metrics and tests. */
export interface Flush {
  readonly items: number;
  readonly operations: number;
}

interface Job {
  readonly work: WorkItem<unknown>;
  /** Runs the item and returns the function that resolves or rejects the caller's promise. */
  run(stage: Stage): () => void;
  fail(error: unknown): void;
}

/** Further items are rejected, because they would wait for seconds. */
const maxQueueLength = 16_384;
/** The limits of one batch keep it well below LevelDB's write buffer (4 MiB or more) and keep the wait for it short. */
const maxBatchItems = 1024;
const maxBatchBytes = 2 * 1024 * 1024;
const maxAttempts = 2;
/**
 * This many writers, notified together, write again together. Their next requests would otherwise be processed before
 * watches have sent the events of the current batch.
 */
const manyWriters = 4;
/** Rows read on this thread; that usually takes a fraction of a millisecond. */
const maxSyncReads = 64;

/** Rows by encoded key; `undefined` if the row is known not to exist. */
type Rows = Map<string, Row | undefined>;

interface CommitterOptions {
  readonly state: StoreState;
  readonly database: LevelDatabase;
  readonly diskSpace: DiskSpaceGuard;
  readonly hub: Hub;
  readonly age: ChangeAge;
  readonly log: Log;
  readonly onFlush: ((flush: Flush) => void) | undefined;
}

/**
 * The only writer. It takes all queued items, stages them in order, writes them as one batch with one flush, publishes
 * the changes, and then resolves the callers. Every acknowledged item is therefore durable and published. With many
 * writers, watches are served before the writers continue.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #heads: Map<string, SliceHead>;
  #position: Position;
  #queue: Job[] = [];
  readonly #cost = new BatchCost();
  readonly #groupCommit = new GroupCommit(this.#cost);
  #running: Promise<void> | undefined;
  #committing: Promise<void> | undefined;
  /** The stage of a batch whose write failed without a known result. */
  #unresolved: { readonly stage: Stage; readonly batch: number } | undefined;
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

  submit<T>(work: WorkItem<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closing) throw storeClosed();
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
   * Resolves when all changes up to this revision are published. A reader that is ahead of the observers waits here.
   */
  async published(revision: Revision): Promise<void> {
    while (revision > this.#position.revision && this.#committing !== undefined) await this.#committing;
  }

  /** Rejects new items and finishes the queued ones. */
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

  /**
   * Removes the next batch from the queue, in order. A batch has either maintenance or other items: on a nearly full
   * disk maintenance is still allowed while other writes are rejected.
   */
  #take(): Job[] {
    const upkeep = this.#queue[0]?.work.isMaintenance;
    let bytes = 0;
    const end = this.#queue.findIndex(({ work }, index) => {
      bytes += work.bytes;
      return index > 0 && (index >= maxBatchItems || bytes > maxBatchBytes || work.isMaintenance !== upkeep);
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  /** Never rejects. */
  async #commit(jobs: readonly Job[]): Promise<void> {
    try {
      if (this.#options.database.mustReopen) await this.#recover();
      const checkingSpace = this.#assertSpace(jobs);
      if (checkingSpace !== undefined) await checkingSpace;
      const reading = this.#read(jobs);
      const rows = mustAwait(reading) ? await reading : reading;
      const stage = new Stage({
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

  /** Returns every row that the items read; synchronously if no wait is necessary. */
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
    const stored = this.#storedRows(texts.map(dataRow));
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

  /** A few rows come faster from LevelDB's cache, or the system's, than through another thread. */
  #storedRows(rows: readonly string[]): MaybePromise<(string | undefined)[]> {
    const { database } = this.#options;
    const readsSync = rows.length <= maxSyncReads && this.#syncReads.allowsSync();
    const now = readsSync ? this.#syncReads.run(() => database.readSync((db) => getRowsSync(db, rows))) : undefined;
    return now ?? database.read((db) => getRows(db, rows));
  }

  #assertSpace(jobs: readonly Job[]): Promise<void> | undefined {
    let bytes = 0;
    for (const { work } of jobs) bytes += work.bytes;
    return this.#options.diskSpace.assertSpace(bytes, jobs[0]?.work.isMaintenance === true);
  }

  async #write(stage: Stage, works: number): Promise<void> {
    const { database, age, onFlush } = this.#options;
    const batch = this.#position.batch + 1;
    const operations = stageOperations(stage, batch, age.stamp());
    for (let attempt = 1; ; attempt++) {
      try {
        const began = performance.now();
        await database.write(operations);
        this.#cost.flushed(performance.now() - began);
        break;
      } catch (error) {
        this.#rowCache.clear();
        this.#unresolved = { stage, batch };
        if (await this.#wasWritten(error)) return;
        // Nothing was written. LevelDB rejects all writes after one background error; a new handle need not have that
        // error.
        if (database.mustReopen || attempt === maxAttempts) throw error;
      }
    }
    this.#adopt(stage, batch);
    onFlush?.({ items: works, operations: operations.length });
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

  /** Reopens the database and resolves the batch with the unknown result: true if it had been written. */
  async #recover(): Promise<boolean> {
    const { database } = this.#options;
    await database.reopen();
    const [stored] = await database.read((db) => getRows(db, [positionRow]));
    const unresolved = this.#unresolved;
    this.#unresolved = undefined;
    if (unresolved === undefined || stored === undefined) return false;
    if (decodePosition(stored).batch !== unresolved.batch) return false;
    this.#adopt(unresolved.stage, unresolved.batch);
    return true;
  }

  /** Lets observers run the work that they deferred to the next tick, and lets the events that they wrote be sent. */
  async #letObserversFinish(): Promise<void> {
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (this.#cost.wakesReaders) await letWritersQueue();
  }

  #adopt(stage: Stage, batch: number): void {
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
    // Rows staged into a slice that the same batch removes are removed with it.
    if (removed.length > 0) this.#rowCache.clear();
    this.#options.hub.publish(stage.logged, this.#cost);
    for (const slice of removed) {
      this.#options.hub.endSlice(slice, new StoreError('Closed', 'the slice was removed'));
    }
  }
}

/** Lets all writers that are ready submit their items first, so that they share the flush. */
function letWritersQueue(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
