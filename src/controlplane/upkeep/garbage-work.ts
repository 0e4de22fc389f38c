import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type GcWork, gcKey, gcRange } from '../../registry/rows.ts';
import type { Key } from '../../store/key.ts';
import type { Entry, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { collect } from './garbage-collector.ts';
import { inPlane, type PlaneSource } from './plane-objects.ts';
import { longestPause, Postponed } from './postponed.ts';
import { takeRow } from './take-row.ts';

export interface GarbageWorkOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly plane: PlaneSource;
}

/** Rows taken from the store at a time; the rest waits there, not in memory. */
const batch = 500;

/** Planes whose garbage is collected side by side. */
const most = 16;

/**
 * Collects the garbage of all control planes: that of one plane piece by piece, that of several side by side. An owner
 * with a hundred thousand dependents keeps its own plane waiting, and no other.
 */
export class GarbageWork {
  readonly #options: GarbageWorkOptions;
  readonly #postponed: Postponed;
  readonly #active = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;
  #wanted = false;
  #stopped = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: GarbageWorkOptions) {
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
        log.error({ error: String(error) }, 'upkeep could not look for garbage; it looks again in a minute');
        this.#cancelTimer = clock.after(longestPause, () => this.wake());
      }
    }
  }

  async #lookThrough(): Promise<void> {
    const { store } = this.#options;
    this.#postponed.begin();
    let sawAll = true;
    let after: Key | undefined;
    while (!this.#stopped) {
      const page = await store.list(gcRange, {
        limit: batch,
        uncounted: true,
        ...(after === undefined ? {} : { after }),
      });
      for (const [planeId, entries] of byPlane(page.entries)) {
        const due = entries.filter((entry) => !this.#postponed.waits(entry));
        if (due.length === 0 || this.#active.has(planeId)) continue;
        while (this.#active.size >= most) await Promise.race(this.#active.values());
        if (this.#stopped) return;
        this.#begin(planeId, due);
      }
      const last = page.entries.at(-1);
      if (page.remaining === 0 || last === undefined) break;
      // What else a plane has that is at work already is looked at when it has done.
      const isAtWork = this.#active.has(planeOf(last));
      if (isAtWork) sawAll = false;
      after = isAtWork ? gcKey(planeOf(last), beyondUids) : last.key;
    }
    if (sawAll) this.#postponed.end();
  }

  #begin(planeId: string, entries: readonly Entry[]): void {
    const work = this.#collect(planeId, entries).then((isOpen) => {
      this.#active.delete(planeId);
      if (isOpen) this.wake();
    });
    this.#active.set(planeId, work);
  }

  /** False: the store is closed. Never rejects. */
  async #collect(planeId: string, entries: readonly Entry[]): Promise<boolean> {
    const { store, plane } = this.#options;
    for (const entry of entries) {
      if (this.#stopped) return true;
      try {
        const work = JSON.parse(entry.value) as GcWork;
        await inPlane(plane, planeId, (objects) => collect(store, objects, work));
        // One that was written anew meanwhile is there to be looked at again: whoever wrote it has said so.
        await takeRow(store, entry);
        this.#postponed.forget(entry);
      } catch (error) {
        if (isClosed(error)) return false;
        this.#postponed.fail(entry, error);
      }
    }
    return true;
  }
}

/** Sorts behind every uid. */
const beyondUids = '\uffff';

function planeOf({ key }: Entry): string {
  return key.segments[1] ?? '';
}

function byPlane(entries: readonly Entry[]): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const entry of entries) {
    const planeId = planeOf(entry);
    const others = found.get(planeId);
    if (others === undefined) found.set(planeId, [entry]);
    else others.push(entry);
  }
  return found;
}

function isClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'Closed';
}
