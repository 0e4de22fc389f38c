import type { HistoryRetention } from '../store.ts';
import type { DiskSpaceGuard } from './disk-space-guard.ts';
import type { LevelDatabase } from './level-database.ts';

/**
 * The history that is kept while the space is low. Clients that reconnect within this time can resume their watches;
 * all other clients have to list again.
 */
const lowSpaceRetention: HistoryRetention = { ageMilliseconds: 10_000, changes: 0 };

/** The history that is kept while there is not even space to remove objects. */
const noHistory: HistoryRetention = { ageMilliseconds: 0, changes: 0 };

/**
 * Frees space while the disk is nearly full: keeps less history, and merges the tables of removed rows, because a
 * removed row occupies space until its table is merged.
 */
export class SpaceReclaimer {
  readonly #diskSpace: DiskSpaceGuard;
  readonly #database: LevelDatabase;
  readonly #retention: HistoryRetention;
  #isLow = false;
  #isUrgent = false;
  /** True from the time when the space becomes low until the space of all rows that were removed since then is free. */
  #mustMerge = false;

  constructor(diskSpace: DiskSpaceGuard, database: LevelDatabase, retention: HistoryRetention) {
    this.#diskSpace = diskSpace;
    this.#database = database;
    this.#retention = retention;
  }

  /** The history to keep now. */
  get retention(): HistoryRetention {
    if (this.#isUrgent) return noHistory;
    if (!this.#isLow) return this.#retention;
    const { ageMilliseconds, changes } = this.#retention;
    return {
      ageMilliseconds: Math.min(ageMilliseconds, lowSpaceRetention.ageMilliseconds),
      changes: Math.min(changes, lowSpaceRetention.changes),
    };
  }

  /**
   * Finds out whether the space is low. Called before each compaction of the history. An urgent compaction first frees
   * the space of finished merges, because the compaction itself needs some space.
   */
  async measure(isUrgent: boolean): Promise<void> {
    this.#isUrgent = isUrgent;
    this.#isLow = await this.#diskSpace.isLow();
    this.#mustMerge ||= this.#isLow;
    this.#database.recordRemovals(this.#mustMerge);
    if (this.#isLow && isUrgent) await this.#database.removeReplacedTables();
    else if (this.#isLow) await this.#database.findFailedMerge();
  }

  /**
   * Frees the space of rows that were removed while the space was low, until `mustStop` returns true. An urgent call
   * ends when the space is no longer low; the next compaction frees the rest.
   */
  async reclaim(mustStop: () => boolean): Promise<void> {
    if (!this.#mustMerge) return;
    let isComplete = true;
    await this.#database.mergeRemovedRows(async () => {
      const stops = mustStop() || (this.#isUrgent && !(await this.#diskSpace.isLow()));
      if (stops) isComplete = false;
      return stops;
    });
    if (isComplete && !(await this.#diskSpace.isLow())) this.#mustMerge = false;
  }
}
