import { parseSleepSeconds } from '../api/management/parse-sleep-seconds.ts';
import type { KubeObject } from '../api/meta.ts';
import { deleteAfterAnnotation, sleepAfterAnnotation } from '../api/naming.ts';
import { type ActivityLog, createActivityLog } from '../gateway/instance-activity.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { withStatusErrors } from '../registry/store-status.ts';
import type { Key } from '../store/key.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';

export interface SharedActivityOptions {
  readonly store: Pick<Store, 'get' | 'transact'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The slice with the last use of each instance. Its rows are unlogged. */
export const activitySlice = 'activity';
/** The longest time that a use is known only to the replica that observed it. */
const maxUnwrittenMs = 30_000;
/** The maximum number of attempts to write a row that other replicas write at the same time. */
const maxAttempts = 5;

/**
 * The last use of each instance, which replicas share as rows of the store. Without these rows, the controller would
 * see only the uses of its own replica, and would put to sleep or delete instances that other replicas use. The rows
 * are unlogged, because nobody observes them: they are read before an instance is put to sleep or deleted.
 */
export class SharedActivityLog implements ActivityLog {
  readonly #options: SharedActivityOptions;
  readonly #own: ActivityLog;
  /**
   * The time in the row of each instance, as far as this replica knows. Another replica may have written a later time.
   */
  readonly #written = new Map<string, number>();
  /**
   * The last use of each instance when the server last tried to write it. Prevents an immediate retry of a failed
   * write.
   */
  readonly #attempted = new Map<string, number>();
  /** The writes in progress. */
  readonly #writes = new Map<string, Promise<void>>();
  /**
   * The shortest period without use, in milliseconds, after which an instance sleeps or is deleted. Contains only
   * instances with such a period.
   */
  readonly #idlePeriods = new Map<string, number>();

  constructor(options: SharedActivityOptions) {
    this.#options = options;
    this.#own = createActivityLog(options.clock);
  }

  recordUse(uid: string, time?: number): void {
    this.#own.recordUse(uid, time);
    const last = this.#own.lastActivity(uid) ?? 0;
    const known = Math.max(this.#written.get(uid) ?? 0, this.#attempted.get(uid) ?? 0);
    if (this.#writes.has(uid) || last - known < this.#intervalOf(uid)) return;
    this.#attempted.set(uid, last);
    const writing = this.#write(uid, this.#intervalOf(uid))
      .catch((error: unknown) => {
        this.#options.log.warn({ instance: uid, error: String(error) }, 'cannot store the last use of an instance');
      })
      .finally(() => this.#writes.delete(uid));
    this.#writes.set(uid, writing);
  }

  lastActivity(uid: string): number | undefined {
    return this.#own.lastActivity(uid);
  }

  onActivity(listener: (uid: string) => void): () => void {
    return this.#own.onActivity(listener);
  }

  forget(uid: string): void {
    this.#own.forget(uid);
    this.#written.delete(uid);
    this.#attempted.delete(uid);
    this.#idlePeriods.delete(uid);
    // Every replica tries to remove the row of the instance. A row that remains has no effect, because no uid is used
    // twice.
    void this.#options.store
      .transact({ writes: [{ key: rowKey(uid), value: undefined, unlogged: true }] })
      .catch(() => {});
  }

  async publish(uid: string): Promise<void> {
    await this.#writes.get(uid);
    await withStatusErrors(this.#write(uid, 0));
  }

  async refresh(uid: string): Promise<void> {
    const time = await withStatusErrors(this.#read(uid));
    this.#written.set(uid, Math.max(time.value, this.#written.get(uid) ?? 0));
    if (time.value > (this.#own.lastActivity(uid) ?? 0)) this.#own.recordUse(uid, time.value);
  }

  /**
   * Updates the idle periods from the settings of an instance, so its uses are written often enough for these periods.
   */
  update({ metadata }: Pick<KubeObject, 'metadata'>): void {
    const { uid = '', annotations = {} } = metadata;
    const seconds = [sleepAfterAnnotation, deleteAfterAnnotation]
      .map((name) => parseSleepSeconds(annotations[name] ?? ''))
      .filter((period) => period !== undefined);
    if (seconds.length === 0) this.#idlePeriods.delete(uid);
    else this.#idlePeriods.set(uid, Math.min(...seconds) * 1000);
  }

  #intervalOf(uid: string): number {
    return Math.min(maxUnwrittenMs, (this.#idlePeriods.get(uid) ?? Number.POSITIVE_INFINITY) / 4);
  }

  /** Writes the last use of an instance, unless the stored time is at most `tolerance` milliseconds earlier. */
  async #write(uid: string, tolerance: number): Promise<void> {
    const key = rowKey(uid);
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const last = this.#own.lastActivity(uid);
      if (last === undefined || (this.#written.get(uid) ?? 0) >= last) return;
      const { value, revision } = await this.#read(uid);
      this.#written.set(uid, value);
      if (value >= last || value > last - tolerance) return;
      try {
        const writes = [{ key, value: String(last), unlogged: true }];
        await this.#options.store.transact({ checks: [{ key, revision }], writes });
        this.#written.set(uid, last);
        return;
      } catch (error) {
        // Continues after CheckFailed: another replica has written the row in the meantime.
        if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
      }
    }
  }

  async #read(uid: string): Promise<{ readonly value: number; readonly revision: number | undefined }> {
    const entry = await this.#options.store.get(rowKey(uid));
    return { value: Number(entry?.value ?? 0) || 0, revision: entry?.revision };
  }
}

function rowKey(uid: string): Key {
  return { slice: activitySlice, segments: [uid] };
}
