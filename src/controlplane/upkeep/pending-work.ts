import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { pendingRange } from '../../registry/rows.ts';
import type { Entry, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { inPlane, type PlaneSource, storeOf } from './plane-objects.ts';
import { idOf, longestPause, Postponed } from './postponed.ts';
import { takeRow } from './take-row.ts';

export interface PendingWorkOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly plane: PlaneSource;
}

/** Rows taken from the store at a time; the rest waits there, not in memory. */
const batch = 500;

/** What is settled side by side: one that takes its time (a virtual cluster that starts) must not hold up the others. */
const most = 16;

/**
 * Settles what is pending (`StoredResource.pending`) in all control planes: each object once at a time, and until its
 * kind says that it is settled. Only planes that have such an object are loaded.
 */
export class PendingWork {
  readonly #options: PendingWorkOptions;
  readonly #postponed: Postponed;
  readonly #active = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;
  #wanted = false;
  #stopped = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: PendingWorkOptions) {
    this.#options = options;
    this.#postponed = new Postponed(options.clock, options.log);
  }

  wake(): void {
    if (this.#stopped) return;
    this.#wanted = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#wanted) this.wake();
    });
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#active.size === 0;
  }

  async idle(): Promise<void> {
    while (!this.isIdle) {
      await this.#running;
      await Promise.all(this.#active.values());
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wanted = false;
    this.#cancelTimer?.();
    await this.idle();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    while (this.#wanted && !this.#stopped) {
      this.#wanted = false;
      this.#cancelTimer?.();
      try {
        await this.#lookThrough();
        const { soonest } = this.#postponed;
        if (soonest < Number.POSITIVE_INFINITY && !this.#stopped) {
          this.#cancelTimer = clock.after(soonest, () => this.wake());
        }
      } catch (error) {
        if (this.#stopped || isClosed(error)) return;
        log.error({ error: String(error) }, 'upkeep could not look for pending work; it looks again in a minute');
        this.#cancelTimer = clock.after(longestPause, () => this.wake());
      }
    }
  }

  async #lookThrough(): Promise<void> {
    const { store } = this.#options;
    this.#postponed.begin();
    let after: Entry | undefined;
    while (!this.#stopped) {
      const page = await store.list(pendingRange, {
        limit: batch,
        uncounted: true,
        ...(after === undefined ? {} : { after: after.key }),
      });
      for (const entry of page.entries) {
        while (this.#active.size >= most) await Promise.race(this.#active.values());
        if (this.#stopped) return;
        this.#begin(entry);
      }
      after = page.entries.at(-1);
      if (page.remaining === 0 || after === undefined) break;
    }
    this.#postponed.end();
  }

  /** What is under way wakes this again if there is more to do. */
  #begin(entry: Entry): void {
    const id = idOf(entry);
    if (this.#postponed.waits(entry) || this.#active.has(id)) return;
    const work = this.#settle(entry).then((isDone) => {
      this.#active.delete(id);
      if (!isDone) this.wake();
    });
    this.#active.set(id, work);
  }

  /** Whether its row is gone. Never rejects. */
  async #settle(entry: Entry): Promise<boolean> {
    const { store, plane } = this.#options;
    const [, planeId = '', resource = '', namespace = '', name = ''] = entry.key.segments;
    try {
      const again = await inPlane(plane, planeId, async (objects) =>
        storeOf(objects, resource)?.resource.settle?.(namespace, name),
      );
      if (again === undefined) {
        this.#postponed.forget(entry);
        return await takeRow(store, entry);
      }
      this.#postponed.wait(entry, again);
      return false;
    } catch (error) {
      if (isClosed(error)) return true;
      this.#postponed.fail(entry, error);
      return false;
    }
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'Closed';
}
