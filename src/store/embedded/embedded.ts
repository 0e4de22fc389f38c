import { type Clock, systemClock } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { catchUp } from '../catch-up.ts';
import { ChangeAge } from '../change-age.ts';
import { HistoryCollector } from '../history-collector.ts';
import { ObserverHub } from '../hub.ts';
import { decodeKey, type Key, type KeyRange } from '../key.ts';
import {
  type DumpRow,
  defaultHistoryRetention,
  type Entry,
  type HistoryChunk,
  type HistoryOptions,
  type HistoryRetention,
  type ListOptions,
  type ListResult,
  noStoreLimits,
  type Observer,
  type Revision,
  type Store,
  type Transaction,
} from '../store.ts';
import { StoreError, storeClosedError } from '../store-error.ts';
import { type CommitItem, Committer, type FlushStats } from './committer.ts';
import { Compactor } from './compactor.ts';
import { DiskSpaceGuard } from './disk-space-guard.ts';
import { LevelDatabase } from './level-database.ts';
import { loadStoreState, openLevel, type StoreState } from './level-open.ts';
import { oldestChanges, type ReadResult, readAll, readEntry, readHistory, readKeys, readList } from './level-reads.ts';
import { maxChunkRows } from './level-rows.ts';
import { SpaceReclaimer } from './space-reclaimer.ts';
import { newSliceHead, type PreparedTransaction, prepareTransaction } from './stage.ts';

export interface EmbeddedStoreOptions {
  /** The directory of the store. It must not be used for anything else. Created if absent. */
  readonly directory: string;
  readonly clock?: Clock;
  readonly retention?: HistoryRetention;
  readonly log?: Log;
  /**
   * The number of bytes that must stay free on the disk. Optional; defaults to the space that reopening the database
   * may need.
   */
  readonly reserveBytes?: number;
  /** Called after each flush to disk. Must be fast and must not throw. */
  readonly onFlush?: (flush: FlushStats) => void;
}

/**
 * Opens the durable store in a directory. Only one process at a time can use it. Rejects with StoreError CannotOpen.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  const db = await openLevel(options.directory, options.log);
  try {
    return new EmbeddedStore(
      options,
      new LevelDatabase(options.directory, db),
      await loadStoreState(db, options.directory),
    );
  } catch (error) {
    await db.close();
    if (error instanceof StoreError) throw error;
    const message = `data directory ${options.directory} cannot be opened: ${error}`;
    throw new StoreError('CannotOpen', message, undefined, { cause: error });
  }
}

class EmbeddedStore implements Store {
  readonly identity: string;
  readonly isShared = false;
  readonly limits = noStoreLimits;
  readonly #age: ChangeAge;
  readonly #log: Log;
  readonly #database: LevelDatabase;
  readonly #hub = new ObserverHub();
  readonly #committer: Committer;
  readonly #compactor: Compactor;
  readonly #reclaimer: SpaceReclaimer;
  /**
   * The current compaction. Compactions run one after another, because concurrent ones would count the same changes
   * twice.
   */
  #compacting: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: EmbeddedStoreOptions, database: LevelDatabase, state: StoreState) {
    const { directory, clock = systemClock, log = silentLog, retention = defaultHistoryRetention } = options;
    this.identity = state.identity;
    this.#age = new ChangeAge(clock);
    this.#log = log;
    this.#database = database;
    const diskSpace = new DiskSpaceGuard({ directory, clock, reserveBytes: options.reserveBytes });
    const { onFlush } = options;
    this.#committer = new Committer({ state, database, diskSpace, hub: this.#hub, age: this.#age, log, onFlush });
    this.#reclaimer = new SpaceReclaimer(diskSpace, database, retention);
    this.#compactor = new Compactor({
      clock,
      log,
      begin: (isUrgent) => this.#beginCompaction(isUrgent),
      end: (mustStop) => this.#reclaimer.reclaim(mustStop),
      candidates: () => this.#slicesAboveRetention(),
      step: (slice) => this.#compactByRetention(slice),
    });
  }

  async get(key: Key): Promise<Entry | undefined> {
    return this.#read((db) => readEntry(db, key));
  }

  async list(range: KeyRange, options: ListOptions = {}): Promise<ListResult> {
    return this.#read((db) => readList(db, range, options));
  }

  /** Submits a transaction. It is not `async`, because every write calls it and there is nothing to await. */
  transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]> {
    try {
      this.#assertOpen();
      const work = transactionWork(prepareTransaction(transaction));
      const committed = this.#committer.submit(work);
      return work.use === 'removal' ? committed.catch((error) => this.#retryRemoval(work, error)) : committed;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Retries a removal that was rejected because the disk is full, after old history was removed to free space. */
  async #retryRemoval<T>(work: CommitItem<T>, error: unknown): Promise<T> {
    let failure = error;
    for (let attempt = 0; attempt < maxRemovalRetries; attempt++) {
      if (!(failure instanceof StoreError) || failure.code !== 'OutOfSpace') break;
      await this.#compactor.runUrgently();
      try {
        return await this.#committer.submit(work);
      } catch (next) {
        failure = next;
      }
    }
    throw failure;
  }

  async removePrefix(range: KeyRange): Promise<void> {
    this.#assertOpen();
    if (range.prefix.length === 0) return this.#removeSlice(range.slice);
    for await (const texts of this.#keys(range)) {
      await this.transact({ writes: texts.map((text) => ({ key: decodeKey(text), value: undefined })) });
    }
  }

  revision(slice: string): Revision | Promise<Revision> {
    if (this.#closing !== undefined) return Promise.reject(storeClosedError());
    return (this.#committer.heads.get(slice) ?? newSliceHead).revision;
  }

  async observe(range: KeyRange, since: Revision, observer: Observer): Promise<() => void> {
    this.#assertOpen();
    const history = (after: Revision) => this.#history(range, after);
    // The head of a slice is updated in the same tick in which changes are published. If the head is at `since`, all
    // later changes will be published after this call.
    const isCurrent = () => (this.#committer.heads.get(range.slice) ?? newSliceHead).revision === since;
    return catchUp({ hub: this.#hub, range, since, observer, log: this.#log, history, isCurrent });
  }

  async history(range: KeyRange, since: Revision, options: HistoryOptions = {}): Promise<HistoryChunk> {
    this.#assertOpen();
    const collector = new HistoryCollector(since, options);
    for await (const chunk of this.#history(range, since, options.to)) {
      await this.#committer.published(chunk.upTo);
      if (!collector.add(chunk)) break;
    }
    return collector.result;
  }

  async compact(slice: string, upTo: Revision): Promise<void> {
    this.#assertOpen();
    for (;;) {
      const head = this.#committer.heads.get(slice);
      if (head === undefined) return;
      const floor = Math.min(upTo, head.revision);
      if (floor <= head.floor) return;
      await this.#compactOldest(slice, head.changes, (revision) => revision <= floor, floor);
    }
  }

  async assertWritable(): Promise<void> {
    this.#assertOpen();
    // Commits an empty item. This checks the disk space, and reopens the database if its last write failed.
    await this.#committer.submit({ reads: [], bytes: largeWrite, use: 'ordinary', run: () => undefined });
    await this.#database.probe();
  }

  async *dump(): AsyncGenerator<DumpRow> {
    this.#assertOpen();
    const db = await this.#database.currentHandle();
    try {
      yield* readAll(db, this.identity);
    } catch (error) {
      if (!this.#database.isReplaced(db)) throw this.#database.asStoreError(error);
      throw new StoreError('Unavailable', 'the database was reopened during the dump; retry');
    }
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const compactorStopped = this.#compactor.stop();
    await this.#committer.close();
    await compactorStopped;
    this.#hub.endAll(storeClosedError());
    await this.#database.close();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw storeClosedError();
  }

  /**
   * Reads from the database. Returns after observers have received all changes in the result, so no cache is older than
   * the result.
   */
  async #read<T>(work: (db: Parameters<typeof readEntry>[0]) => Promise<ReadResult<T>>): Promise<T> {
    this.#assertOpen();
    const { result, storeRevision } = await this.#database.read(work);
    await this.#committer.published(storeRevision);
    return result;
  }

  async *#history(range: KeyRange, since: Revision, to?: Revision): AsyncGenerator<HistoryChunk> {
    let cursor = since;
    for (;;) {
      const db = await this.#database.currentHandle();
      try {
        for await (const chunk of readHistory(db, range, cursor, to)) {
          yield chunk;
          cursor = Math.max(cursor, chunk.upTo);
        }
        return;
      } catch (error) {
        if (!this.#database.isReplaced(db)) throw this.#database.asStoreError(error);
      }
    }
  }

  async *#keys(range: KeyRange): AsyncGenerator<readonly string[]> {
    for (let after: Key | undefined; ; ) {
      const texts = await this.#database.read((db) => readKeys(db, range, after));
      const last = texts.at(-1);
      if (last === undefined) return;
      yield texts;
      after = decodeKey(last);
    }
  }

  async #removeSlice(slice: string): Promise<void> {
    const maintenance = { reads: [], bytes: 0, use: 'maintenance' } as const;
    if (await this.#removeSmallSlice(slice)) return;
    for await (const texts of this.#keys({ slice, prefix: [] })) {
      await this.#committer.submit({ ...maintenance, run: (stage) => stage.eraseRows(texts) });
    }
    await this.compact(slice, Number.MAX_SAFE_INTEGER);
    await this.#committer.submit({ ...maintenance, run: (stage) => stage.dropSlice(slice) });
  }

  /** Removes a small slice in one batch. Returns false and does nothing if the slice is too large or has changed. */
  async #removeSmallSlice(slice: string): Promise<boolean> {
    const { changes = 0, revision = 0 } = this.#committer.heads.get(slice) ?? {};
    if (changes >= maxChunkRows) return false;
    const [texts, revisions] = await Promise.all([
      this.#database.read((db) => readKeys(db, { slice, prefix: [] }, undefined)),
      changes === 0 ? [] : this.#database.read((db) => oldestChanges(db, slice, maxChunkRows, () => true)),
    ]);
    if (texts.length >= maxChunkRows || revisions.length < changes) return false;
    const bytes = (texts.length + revisions.length) * bytesPerRow;
    return await this.#committer.submit({
      reads: [],
      bytes,
      use: 'maintenance',
      run: (stage) => {
        const isSame = (this.#committer.heads.get(slice)?.revision ?? 0) === revision && !stage.heads.has(slice);
        if (!isSame) return false;
        stage.eraseRows(texts);
        stage.compact(slice, revisions, revision);
        stage.dropSlice(slice);
        return true;
      },
    });
  }

  /**
   * Measures the space. If a merge has failed, reopens the database, which frees the space of the tables of this merge.
   */
  async #beginCompaction(isUrgent: boolean): Promise<void> {
    await this.#reclaimer.measure(isUrgent);
    if (!this.#database.mustReopen) return;
    await this.#committer.submit({ reads: [], bytes: 0, use: 'maintenance', run: () => undefined }).catch(() => {});
    await this.#reclaimer.measure(isUrgent);
  }

  #slicesAboveRetention(): string[] {
    const above = [...this.#committer.heads].filter(([, head]) => head.changes > this.#reclaimer.retention.changes);
    return above.map(([slice]) => slice);
  }

  async #compactByRetention(slice: string): Promise<boolean> {
    const { changes, ageMilliseconds } = this.#reclaimer.retention;
    const excess = (this.#committer.heads.get(slice)?.changes ?? 0) - changes;
    const isOld = (_revision: Revision, stamp: number) => this.#age.isOlder(stamp, ageMilliseconds);
    return excess > 0 && (await this.#compactOldest(slice, excess, isOld)) > 0;
  }

  /**
   * Removes up to `atMost` of the oldest changes of a slice. Stops before the first change that `isRemovable` does not
   * accept. Returns the number of removed changes. If this number is 0, the history counts as compacted up to revision
   * `floor`.
   */
  #compactOldest(
    slice: string,
    atMost: number,
    isRemovable: (revision: Revision, time: number) => boolean,
    floor = 0,
  ): Promise<number> {
    const compaction = this.#compacting.then(async () => {
      const revisions = await this.#database.read((db) => oldestChanges(db, slice, atMost, isRemovable));
      const reached = revisions.at(-1) ?? floor;
      if (reached > 0) {
        const bytes = revisions.length * bytesPerRow;
        await this.#committer.submit({
          reads: [],
          bytes,
          use: 'maintenance',
          run: (stage) => stage.compact(slice, revisions, reached),
        });
      }
      return revisions.length;
    });
    this.#compacting = compaction.catch(() => {});
    return compaction;
  }
}

/**
 * The maximum number of retries of a removal. One retry may not suffice, because LevelDB's own merges also need space.
 */
const maxRemovalRetries = 3;

/** The approximate size of a large object in bytes. `assertWritable` requires space for one such object. */
const largeWrite = 1024 * 1024;

/** The approximate size in bytes of a row without its value: the key, the revision and LevelDB's overhead. */
const bytesPerRow = 128;

function transactionWork(prepared: PreparedTransaction): CommitItem<readonly (Revision | undefined)[]> {
  return {
    reads: prepared.checks.length === 0 ? prepared.writes : [...prepared.checks, ...prepared.writes],
    bytes: bytesOf(prepared),
    use: prepared.usesReserve ? 'removal' : 'ordinary',
    run: (stage) => stage.transact(prepared),
  };
}

/**
 * Returns the approximate size of a transaction in bytes. Each value counts three times: in its row, in its change, and
 * as the previous value, which is about as long.
 */
function bytesOf({ writes }: PreparedTransaction): number {
  let bytes = 0;
  for (const { value, text } of writes) bytes += 2 * bytesPerRow + 2 * text.length + 3 * (value?.length ?? 0);
  return bytes;
}
