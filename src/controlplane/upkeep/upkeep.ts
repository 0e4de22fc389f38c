import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { LeftWork } from '../../registry/left-work.ts';
import { dueRange, type ObjectPlace } from '../../registry/rows.ts';
import type { Entry, Store } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { settleDeadline } from './deadlines.ts';
import { garbageWork } from './garbage-work.ts';
import { pendingWork } from './pending-work.ts';
import { inPlane, type PlaneSource } from './plane-objects.ts';
import { longestPause, Postponed } from './postponed.ts';
import { takeRow } from './take-row.ts';

export interface UpkeepOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly plane: PlaneSource;
}

export interface Upkeep {
  /** New work may have been written; called after every commit that did. Absent: any. */
  wake(left?: LeftWork): void;
  /** Settles when everything that is due now has been done. For tests and for draining. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Rows taken from the store at a time; the rest waits there, not in memory. */
const batch = 500;

/**
 * Does what is due in all control planes: collects garbage, ends grace periods, removes what has expired, settles what
 * is pending. The work lies in the store, written in the same transaction as its cause, and is taken away only when it
 * is settled: a crash at any point loses none of it.
 */
export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { store, clock, log } = options;
  const pending = pendingWork(options);
  const garbage = garbageWork(options);
  const postponed = new Postponed(clock, log);
  let stopped = false;
  /** By which a look is under way or arranged. */
  let nextDeadline = Number.POSITIVE_INFINITY;
  let wanted = false;
  let running: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;

  function wake(left?: LeftWork): void {
    if (stopped) return;
    if (left?.pending !== false) pending.wake();
    if (left?.garbage !== false) garbage.wake();
    // Most deadlines are far away, and there is an earlier one.
    if (left === undefined || (left.deadline !== undefined && left.deadline < nextDeadline)) look();
  }

  function look(): void {
    if (stopped) return;
    wanted = true;
    running ??= run().finally(() => {
      running = undefined;
      if (wanted) look();
    });
  }

  async function run(): Promise<void> {
    while (wanted && !stopped) {
      wanted = false;
      cancelTimer?.();
      postponed.begin();
      try {
        // Until it is known again every deadline may be the next one.
        nextDeadline = Number.POSITIVE_INFINITY;
        const next = await meetDeadlines();
        postponed.end();
        if (!wanted && !stopped) {
          nextDeadline = next;
          cancelTimer = wakeAgain(next);
        }
      } catch (error) {
        if (stopped || isStoreClosed(error)) return;
        log.error({ error: String(error) }, 'upkeep could not look for work; it looks again in a minute');
        cancelTimer = clock.after(longestPause, look);
      }
    }
  }

  /** At the next deadline, or when what failed is to be tried again. */
  function wakeAgain(deadline: number): () => void {
    const cancelDeadline = deadline < Number.POSITIVE_INFINITY ? clock.at(deadline, look) : undefined;
    const { soonest } = postponed;
    const cancelRetry = soonest < Number.POSITIVE_INFINITY ? clock.after(soonest, look) : undefined;
    return () => {
      cancelDeadline?.();
      cancelRetry?.();
    };
  }

  /** Goes through the rows in the order of their time. Returns the next deadline; Infinity: there is none. */
  async function meetDeadlines(): Promise<number> {
    let after: Entry | undefined;
    while (!stopped) {
      const page = await store.list(dueRange, {
        // As a rule the first one is for later, and all the others are after it.
        limit: after === undefined ? 1 : batch,
        uncounted: true,
        ...(after === undefined ? {} : { after: after.key }),
      });
      for (const entry of page.entries) {
        if (stopped) return Number.POSITIVE_INFINITY;
        const [, time = '0', planeId = '', resource = '', namespace = '', name = ''] = entry.key.segments;
        if (postponed.waits(entry)) continue;
        if (Number(time) > clock.now()) return Number(time);
        const place: ObjectPlace = { resource, namespace, name };
        try {
          await inPlane(options.plane, planeId, (plane) => settleDeadline(plane, place));
          // One that was written anew meanwhile is there to be looked at again: whoever wrote it has said so.
          await takeRow(store, entry);
          postponed.forget(entry);
        } catch (error) {
          postponed.fail(entry, error);
        }
      }
      after = page.entries.at(-1);
      if (page.remaining === 0 || after === undefined) break;
    }
    return Number.POSITIVE_INFINITY;
  }

  return {
    wake,
    async idle() {
      do {
        while (running !== undefined) await running;
        await Promise.all([pending.idle(), garbage.idle()]);
        // Each of them can bring the others more to do.
      } while (running !== undefined || !pending.isIdle || !garbage.isIdle);
    },
    async stop() {
      stopped = true;
      wanted = false;
      cancelTimer?.();
      await Promise.all([running, pending.stop(), garbage.stop()]);
    },
  };
}
