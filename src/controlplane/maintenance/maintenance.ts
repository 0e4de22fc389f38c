import { deadlineRange, type ObjectRef } from '../../registry/rows/rows.ts';
import type { MaintenanceWork } from '../../registry/write/maintenance-work.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { ActivePlanes } from './active-planes.ts';
import { DeferredRows, maxRetryDelayMs } from './deferred-rows.ts';
import { deleteRowIfUnchanged } from './delete-row-if-unchanged.ts';
import { garbageWorker } from './garbage-worker.ts';
import type { MaintenanceOptions } from './maintenance-options.ts';
import { reconcileWorker } from './reconcile-worker.ts';

export interface Maintenance {
  /**
   * Starts processing new work. Must be called after every commit that has written maintenance rows. Without an
   * argument, rows of all types are processed.
   */
  wake(work?: MaintenanceWork): void;
  /** True if a task is running in a plane that matches. */
  isBusyWith(matches: (planeId: string) => boolean): boolean;
  /** Resolves after all work that is due now is done. For tests, and for draining before a shutdown. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** The maximum number of rows in one list page. Other rows stay in the store, so memory use is limited. */
const pageSize = 500;

/**
 * Runs the maintenance of all control planes: collects garbage, ends grace periods, deletes expired objects and runs
 * pending reconciles. Each item of work is a row in the store, written in the same transaction as its cause. The row is
 * deleted after the work is complete, so a crash loses no work.
 */
export function startMaintenance(given: MaintenanceOptions): Maintenance {
  const active = new ActivePlanes();
  const options: MaintenanceOptions = { ...given, runTask: active.recording(given.runTask) };
  const { store, clock, log } = options;
  const reconciles = reconcileWorker(options);
  const garbage = garbageWorker(options);
  const deferredRows = new DeferredRows(clock, log);
  let stopped = false;
  /** The earliest deadline for which a scan is scheduled, in milliseconds since the Unix epoch. */
  let nextDeadline = Number.POSITIVE_INFINITY;
  let scanRequested = false;
  let running: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;

  function wake(work?: MaintenanceWork): void {
    if (stopped) return;
    if (work?.reconcile !== false) reconciles.wake();
    if (work?.garbage !== false) garbage.wake();
    // Most new deadlines are later than the scheduled scan and need no earlier scan.
    if (work === undefined || (work.deadline !== undefined && work.deadline < nextDeadline)) scan();
  }

  function scan(): void {
    if (stopped) return;
    scanRequested = true;
    running ??= run().finally(() => {
      running = undefined;
      if (scanRequested) scan();
    });
  }

  async function run(): Promise<void> {
    while (scanRequested && !stopped) {
      scanRequested = false;
      cancelTimer?.();
      deferredRows.beginScan();
      try {
        // With Infinity, every new deadline makes `wake` request another scan. That is necessary because the scan in
        // progress may already have passed the position at which the row of the new deadline is inserted.
        nextDeadline = Number.POSITIVE_INFINITY;
        const next = await handleDeadlines();
        deferredRows.endScan();
        if (!scanRequested && !stopped) {
          nextDeadline = next;
          cancelTimer = scheduleScan(next);
        }
      } catch (error) {
        if (stopped || isStoreClosed(error)) return;
        log.error({ error: String(error) }, 'could not scan the store for deadlines; retrying in one minute');
        cancelTimer = clock.after(maxRetryDelayMs, scan);
      }
    }
  }

  /**
   * Schedules a scan at the next deadline and at the next retry of failed work. Returns a function that cancels both.
   */
  function scheduleScan(deadline: number): () => void {
    const cancelDeadline = deadline < Number.POSITIVE_INFINITY ? clock.at(deadline, scan) : undefined;
    const { nextDueInMs } = deferredRows;
    const cancelRetry = nextDueInMs < Number.POSITIVE_INFINITY ? clock.after(nextDueInMs, scan) : undefined;
    return () => {
      cancelDeadline?.();
      cancelRetry?.();
    };
  }

  /** Processes the deadline rows that are due, the earliest first. Returns the next deadline, or Infinity. */
  async function handleDeadlines(): Promise<number> {
    let after: Entry | undefined;
    while (!stopped) {
      const page = await store.list(deadlineRange, {
        // Usually the first row is not due yet. All other rows are later, so reading one row is enough.
        limit: after === undefined ? 1 : pageSize,
        skipCount: true,
        ...(after === undefined ? {} : { after: after.key }),
      });
      for (const entry of page.entries) {
        if (stopped) return Number.POSITIVE_INFINITY;
        const [, time = '0', planeId = '', resource = '', namespace = '', name = ''] = entry.key.segments;
        if (deferredRows.isDeferred(entry)) continue;
        if (Number(time) > clock.now()) return Number(time);
        if (options.owns?.(planeId) === false) continue;
        const object: ObjectRef = { resource, namespace, name };
        try {
          await options.runTask(planeId, { type: 'deadline', object }, options.fence);
          // If the row was rewritten during the work, it is not deleted, because there is new work.
          await deleteRowIfUnchanged(options, entry);
          deferredRows.forget(entry);
        } catch (error) {
          deferredRows.recordFailure(entry, error);
        }
      }
      after = page.entries.at(-1);
      if (page.remaining === 0 || after === undefined) break;
    }
    return Number.POSITIVE_INFINITY;
  }

  return {
    wake,
    isBusyWith: (matches) => active.has(matches),
    async idle() {
      do {
        while (running !== undefined) await running;
        await Promise.all([reconciles.idle(), garbage.idle()]);
        // The deadline scan and the two workers can write new rows for each other, so all three are checked again.
      } while (running !== undefined || !reconciles.isIdle || !garbage.isIdle);
    },
    async stop() {
      stopped = true;
      scanRequested = false;
      cancelTimer?.();
      await Promise.all([running, reconciles.stop(), garbage.stop()]);
    },
  };
}
