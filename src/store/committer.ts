import type { Log } from '../lib/log.ts';
import { QuickTrust } from '../lib/quick-trust.ts';
import { haveHadTurns } from '../lib/turns.ts';
import { BatchCost } from './batch-cost.ts';
import type { ChangeAge } from './change-age.ts';
import type { DiskRoom } from './disk-room.ts';
import { Gathering } from './gathering.ts';
import type { Hub } from './hub.ts';
import type { LevelMedium } from './level-medium.ts';
import type { StoreState } from './level-open.ts';
import { getRows, getRowsNow } from './level-rows.ts';
import { RecentRows } from './recent-rows.ts';
import { dataRow, decodePosition, decodeRow, type Position, positionRow } from './row-codec.ts';
import { type Look, type Row, type SliceHead, Stage } from './stage.ts';
import { stageOperations } from './stage-operations.ts';
import type { Revision } from './store.ts';
import { StoreError, storeClosed } from './store-error.ts';

/** Something to be committed: a transaction, or a piece of upkeep. */
export interface Work<T> {
  /** Every row that `run` looks at. */
  readonly looks: readonly Look[];
  /** About how many bytes it writes. */
  readonly bytes: number;
  readonly upkeep: boolean;
  /** Stages it, or throws and has staged nothing. */
  run(stage: Stage): T;
}

/** One flush to disk, for metrics and tests. */
export interface Flush {
  readonly works: number;
  readonly operations: number;
}

interface Job {
  readonly work: Work<unknown>;
  /** The last batch of which every observer had been handed all when it came. */
  readonly handed: number;
  /** Runs the work; returns how to tell the caller. */
  run(stage: Stage): () => void;
  fail(error: unknown): void;
}

/** Beyond this many the next one is refused: they would wait for seconds. */
const longestQueue = 16_384;
/** Of one batch: keeps it well below LevelDB's write buffer of 4 MiB or more, and the wait for it short. */
const mostWorks = 1024;
const mostBytes = 2 * 1024 * 1024;
const mostAttempts = 2;
/** So many who are told at once write again at once, and what they send then would come before the last news of this. */
const manyWriters = 4;
/** Rows that are looked up on this thread: a fraction of a millisecond as a rule. */
const mostReadAtOnce = 64;

/** undefined: it is known that nothing is there. */
type Rows = Map<string, Row | undefined>;

interface CommitterOptions {
  readonly state: StoreState;
  readonly medium: LevelMedium;
  readonly room: DiskRoom;
  readonly hub: Hub;
  readonly age: ChangeAge;
  readonly log: Log;
  readonly onFlush: ((flush: Flush) => void) | undefined;
}

/**
 * The only one who writes. Takes all that waits, stages it in order, writes it as one batch with one flush, publishes
 * it, and only then tells those who wait. Whatever it says is committed is durable and published. Where many write, those
 * who watch come before those who wrote.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #heads: Map<string, SliceHead>;
  #position: Position;
  #queue: Job[] = [];
  readonly #cost = new BatchCost();
  readonly #gathering = new Gathering(this.#cost);
  #running: Promise<void> | undefined;
  #underWay: Promise<void> | undefined;
  /** Staged in a batch of which it is not known whether it was written. */
  #undecided: { readonly stage: Stage; readonly batch: number } | undefined;
  #closing = false;
  readonly #recent = new RecentRows();
  /** The last batch of which every observer has been handed all: the last one, unless it is being published. */
  #handed: number;
  /** What the last batch has written; undefined: nobody knows any more. */
  #lastWritten: ReadonlyMap<string, Row | undefined> | undefined;
  readonly #quickReads = new QuickTrust({ longestWait: 5, distrust: 60_000 });

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#position = options.state.position;
    this.#handed = this.#position.batch;
    this.#heads = options.state.heads;
  }

  get revision(): Revision {
    return this.#position.revision;
  }

  get heads(): ReadonlyMap<string, SliceHead> {
    return this.#heads;
  }

  submit<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closing) throw storeClosed();
      if (this.#queue.length >= longestQueue) {
        throw new StoreError('Unavailable', `${longestQueue} writes are waiting for the disk already`);
      }
      this.#queue.push({
        work,
        handed: this.#handed,
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
      this.#gathering.came(this.#queue.length);
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything up to this revision is published. Who has read ahead of the observers waits here. */
  async published(revision: Revision): Promise<void> {
    while (revision > this.#position.revision && this.#underWay !== undefined) await this.#underWay;
  }

  /** Finishes what waits. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#gathering.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    await everyoneQueued();
    while (this.#queue.length > 0) {
      const gathering = this.#gathering.before(this.#queue.length);
      if (gathering !== undefined) {
        await gathering;
        await everyoneQueued();
      }
      const jobs = this.#take();
      this.#underWay = this.#commit(jobs);
      await this.#underWay;
      this.#underWay = undefined;
      this.#gathering.written(jobs.length, this.#queue.length);
      await everyoneQueued();
    }
    this.#running = undefined;
  }

  /** The next batch: in order, and upkeep apart from the rest, which the disk may refuse while upkeep still goes. */
  #take(): Job[] {
    const upkeep = this.#queue[0]?.work.upkeep;
    let bytes = 0;
    const end = this.#queue.findIndex(({ work }, index) => {
      bytes += work.bytes;
      return index > 0 && (index >= mostWorks || bytes > mostBytes || work.upkeep !== upkeep);
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  /** Never rejects. */
  async #commit(jobs: readonly Job[]): Promise<void> {
    try {
      if (this.#options.medium.mustReopen) await this.#recover();
      const checking = this.#assertRoom(jobs);
      if (checking !== undefined) await checking;
      const reading = this.#read(jobs);
      const rows = reading instanceof Promise ? await reading : reading;
      const stage = new Stage({
        revision: this.#position.revision,
        row: (text) => rows.get(text),
        head: (slice) => this.#heads.get(slice),
      });
      const outcomes = jobs.map((job) => job.run(stage));
      if (!stage.empty) await this.#write(stage, jobs.length);
      if (jobs.length >= manyWriters) await observersServed();
      for (const tell of outcomes) tell();
    } catch (error) {
      for (const job of jobs) job.fail(error);
    }
  }

  /** Every row that is looked at; at once where that goes without waiting. */
  #read(jobs: readonly Job[]): Rows | Promise<Rows> {
    const rows: Rows = new Map();
    const unknown = new Set<string>();
    for (const { work, handed } of jobs) {
      const isLate = handed !== this.#position.batch;
      // Of what was written since, only the last batch is remembered.
      const isTold = !isLate || (handed === this.#position.batch - 1 && this.#lastWritten !== undefined);
      for (const { text, isSeen, seen } of work.looks) {
        if (rows.has(text)) continue;
        if (isSeen && isTold) {
          rows.set(text, isLate && this.#lastWritten?.has(text) ? this.#lastWritten.get(text) : seen);
          continue;
        }
        const known = this.#recent.get(text);
        if (known === undefined) unknown.add(text);
        else rows.set(text, known);
      }
    }
    if (unknown.size === 0) return rows;
    const texts = [...unknown];
    const stored = this.#rows(texts.map(dataRow));
    return Array.isArray(stored)
      ? this.#found(rows, texts, stored)
      : stored.then((found) => this.#found(rows, texts, found));
  }

  #found(rows: Rows, texts: readonly string[], stored: readonly (string | undefined)[]): Rows {
    texts.forEach((text, index) => {
      const found = stored[index];
      if (found === undefined) return;
      const row = decodeRow(found);
      rows.set(text, row);
      this.#recent.wasRead(text, row);
    });
    return rows;
  }

  /** A few rows are had from LevelDB's memory, or the system's, sooner than another thread could be asked for them. */
  #rows(rows: readonly string[]): (string | undefined)[] | Promise<(string | undefined)[]> {
    const { medium } = this.#options;
    const isQuick = rows.length <= mostReadAtOnce && this.#quickReads.isGiven();
    const now = isQuick ? this.#quickReads.run(() => medium.readNow((db) => getRowsNow(db, rows))) : undefined;
    return now ?? medium.read((db) => getRows(db, rows));
  }

  #assertRoom(jobs: readonly Job[]): Promise<void> | undefined {
    let bytes = 0;
    for (const { work } of jobs) bytes += work.bytes;
    return this.#options.room.assertRoom(bytes, jobs[0]?.work.upkeep === true);
  }

  async #write(stage: Stage, works: number): Promise<void> {
    const { medium, age, onFlush } = this.#options;
    const batch = this.#position.batch + 1;
    const operations = stageOperations(stage, batch, age.stamp());
    for (let attempt = 1; ; attempt++) {
      try {
        const began = performance.now();
        await medium.write(operations);
        this.#cost.flushed(performance.now() - began);
        break;
      } catch (error) {
        this.#recent.clear();
        this.#undecided = { stage, batch };
        if (await this.#hasLandedAfterAll(error)) return;
        // It is known now that nothing was written: LevelDB refuses all after one fault in the background, which the
        // next handle need not meet again.
        if (medium.mustReopen || attempt === mostAttempts) throw error;
      }
    }
    this.#adopt(stage, batch);
    onFlush?.({ works, operations: operations.length });
  }

  async #hasLandedAfterAll(error: unknown): Promise<boolean> {
    this.#options.log.error({ error }, 'a write to the store failed; it is opened anew');
    try {
      return await this.#recover();
    } catch (failure) {
      this.#options.log.error({ error: failure }, 'the store cannot be written; reads go on');
      return false;
    }
  }

  /** Opens the medium anew and settles what was undecided: true if it had been written. */
  async #recover(): Promise<boolean> {
    const { medium } = this.#options;
    await medium.reopen();
    const [stored] = await medium.read((db) => getRows(db, [positionRow]));
    const undecided = this.#undecided;
    this.#undecided = undefined;
    if (undecided === undefined || stored === undefined) return false;
    if (decodePosition(stored).batch !== undecided.batch) return false;
    this.#adopt(undecided.stage, undecided.batch);
    return true;
  }

  #adopt(stage: Stage, batch: number): void {
    this.#position = { revision: stage.revision, batch };
    for (const [text, row] of stage.rows) this.#recent.wasWritten(text, row);
    const removed: string[] = [];
    for (const [slice, head] of stage.heads) {
      if (head !== undefined) this.#heads.set(slice, head);
      else {
        this.#heads.delete(slice);
        removed.push(slice);
      }
    }
    this.#lastWritten = stage.rows;
    // What was staged into a slice that goes in the same batch goes with it.
    if (removed.length > 0) {
      this.#recent.clear();
      this.#lastWritten = undefined;
    }
    this.#options.hub.publish(stage.logged);
    this.#handed = batch;
    for (const slice of removed) {
      this.#options.hub.endSlice(slice, new StoreError('Closed', 'the slice was removed'));
    }
  }
}

/** What observers have put off until they had heard everything goes first, and what was written to somebody then leaves. */
async function observersServed(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve));
  if (haveHadTurns()) await everyoneQueued();
}

/** Lets everyone who can write at this moment do so first, so that they share the flush. */
function everyoneQueued(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
