import { StatusError } from '../../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { dueRange, type GcWork, gcRange, type ObjectPlace } from '../../registry/rows.ts';
import type { Entry, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { settleDeadline } from './deadlines.ts';
import { collect } from './garbage-collector.ts';
import type { PlaneObjects } from './plane-objects.ts';

export interface UpkeepOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Loads the plane if need be; undefined: it is gone for good, and its work with it. */
  plane(id: string): Promise<PlaneObjects | undefined>;
}

export interface Upkeep {
  /** New work may have been written; called after every commit that did. */
  wake(): void;
  /** Settles when everything that is due now has been done. For tests and for draining. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Rows taken from the store at a time; the rest waits there, not in memory. */
const batch = 500;

const retry: BackoffOptions = { firstMilliseconds: 20, longestMilliseconds: 60_000 };

/**
 * Does what is due in all control planes: collects garbage, ends grace periods, removes what has expired. The work
 * lies in the store, written in the same transaction as its cause, and is taken away only when it is settled: a crash
 * at any point loses none of it.
 */
export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { store, clock, log } = options;
  /** `notBefore` is in elapsed time: how long one waits before the next try has nothing to do with the time of day. */
  const failures = new Map<string, { count: number; notBefore: number }>();
  let retryAt = Number.POSITIVE_INFINITY;
  let stopped = false;
  let wanted = false;
  let running: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;

  function wake(): void {
    if (stopped) return;
    wanted = true;
    running ??= run().finally(() => {
      running = undefined;
      if (wanted) wake();
    });
  }

  async function run(): Promise<void> {
    while (wanted && !stopped) {
      wanted = false;
      cancelTimer?.();
      retryAt = Number.POSITIVE_INFINITY;
      try {
        await collectGarbage();
        const next = await meetDeadlines();
        if (!wanted && !stopped) cancelTimer = wakeAgain(next);
      } catch (error) {
        if (stopped || (error instanceof StoreError && error.code === 'Closed')) return;
        log.error({ error: String(error) }, 'upkeep could not look for work; it looks again in a minute');
        cancelTimer = clock.after(retry.longestMilliseconds, wake);
      }
    }
  }

  /** At the next deadline, or when what failed is to be tried again. */
  function wakeAgain(deadline: number): () => void {
    const cancelDeadline = deadline < Number.POSITIVE_INFINITY ? clock.at(deadline, wake) : undefined;
    const cancelRetry =
      retryAt < Number.POSITIVE_INFINITY ? clock.after(Math.max(0, retryAt - clock.elapsed()), wake) : undefined;
    return () => {
      cancelDeadline?.();
      cancelRetry?.();
    };
  }

  async function collectGarbage(): Promise<void> {
    await settleAll(gcRange, async (entry) => {
      const work = JSON.parse(entry.value) as GcWork;
      const plane = await options.plane(entry.key.segments[1] ?? '');
      if (plane !== undefined) await collect(store, plane, work);
      return undefined;
    });
  }

  /** Returns the next deadline; Infinity: there is none. */
  async function meetDeadlines(): Promise<number> {
    return settleAll(dueRange, async (entry) => {
      const [, time = '0', planeId = '', resource = '', namespace = '', name = ''] = entry.key.segments;
      if (Number(time) > clock.now()) return Number(time);
      const plane = await options.plane(planeId);
      const place: ObjectPlace = { resource, namespace, name };
      if (plane !== undefined) await settleDeadline(plane, place);
      return undefined;
    });
  }

  /**
   * Goes through the rows in order. `settle` returns a time to stop there and come back (rows are sorted by time),
   * which is what is returned, or nothing once the row is settled and can go.
   */
  async function settleAll(
    range: { slice: string; prefix: readonly string[] },
    settle: (entry: Entry) => Promise<number | undefined>,
  ): Promise<number> {
    let after: Entry | undefined;
    while (!stopped) {
      const page = await store.list(range, { limit: batch, ...(after === undefined ? {} : { after: after.key }) });
      for (const entry of page.entries) {
        if (stopped) return Number.POSITIVE_INFINITY;
        const id = entry.key.segments.join('/');
        const failed = failures.get(id);
        if (failed !== undefined && failed.notBefore > clock.elapsed()) {
          retryAt = Math.min(retryAt, failed.notBefore);
          continue;
        }
        try {
          const notYet = await settle(entry);
          if (typeof notYet === 'number') return notYet;
          await settled(entry);
          failures.delete(id);
        } catch (error) {
          postpone(id, error);
        }
      }
      after = page.entries.at(-1);
      if (page.remaining === 0 || after === undefined) break;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** Takes the row away unless it was written anew while it was being settled: then there is more to do. */
  async function settled(entry: Entry): Promise<void> {
    try {
      await store.transact({
        checks: [{ key: entry.key, revision: entry.revision }],
        writes: [{ key: entry.key, value: undefined, quiet: true }],
      });
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    }
  }

  function postpone(id: string, error: unknown): void {
    if (error instanceof StoreError && error.code === 'Closed') throw error;
    const count = (failures.get(id)?.count ?? 0) + 1;
    const notBefore = clock.elapsed() + backoffDelay(count, retry);
    failures.set(id, { count, notBefore });
    retryAt = Math.min(retryAt, notBefore);
    // A conflict only means that the object changed between the look and the write.
    if (!(error instanceof StatusError) || error.code !== 409) {
      log.warn({ work: id, failures: count, error: String(error) }, 'upkeep failed; it tries again');
    }
  }

  return {
    wake,
    async idle() {
      while (running !== undefined) await running;
    },
    async stop() {
      stopped = true;
      wanted = false;
      cancelTimer?.();
      await running;
    },
  };
}
