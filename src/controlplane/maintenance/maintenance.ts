import { deadlineRange, type ObjectRef } from '../../registry/rows/rows.ts';
import type { MaintenanceWork } from '../../registry/write/maintenance-work.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { handleDeadline } from './deadlines.ts';
import { DeferredRows, maxRetryDelayMs } from './deferred-rows.ts';
import { deleteRowIfUnchanged } from './delete-row-if-unchanged.ts';
import { garbageWorker } from './garbage-worker.ts';
import type { MaintenanceOptions } from './maintenance-options.ts';
import { withPlane } from './plane-stores.ts';
import { reconcileWorker } from './reconcile-worker.ts';

export interface Maintenance {
  /**
   * Reports new work; called after every commit that recorded some. Without an argument all types of work are checked.
   */
  wake(work?: MaintenanceWork): void;
  /** Resolves when everything that is due now has been done. For tests and for draining. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** The number of rows per page; the rest stays in the store, not in memory. */
const pageSize = 500;

/**
 * Runs the maintenance of all control planes: collects garbage, ends grace periods, deletes expired objects, runs
 * pending reconciles. The work is recorded in the store, in the same transaction as its cause, and is deleted only when
 * it is complete: a crash at any point loses none of it.
 */
export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { store, clock, log } = options;
  const pending = reconcileWorker(options);
  const garbage = garbageWorker(options);
  const postponed = new DeferredRows(clock, log);
  let stopped = false;
  /** The deadline for which a scan is running or scheduled. */
  let nextDeadline = Number.POSITIVE_INFINITY;
  let scanRequested = false;
  let running: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;

  function wake(work?: MaintenanceWork): void {
    if (stopped) return;
    if (work?.reconcile !== false) pending.wake();
    if (work?.garbage !== false) garbage.wake();
    // Most deadlines are later than the one that is already scheduled.
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
      postponed.beginScan();
      try {
        // During the scan any deadline may be the next one.
        nextDeadline = Number.POSITIVE_INFINITY;
        const next = await handleDeadlines();
        postponed.endScan();
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

  /** Schedules a scan for the next deadline, and for the next retry of failed work. */
  function scheduleScan(deadline: number): () => void {
    const cancelDeadline = deadline < Number.POSITIVE_INFINITY ? clock.at(deadline, scan) : undefined;
    const { nextDueInMs } = postponed;
    const cancelRetry = nextDueInMs < Number.POSITIVE_INFINITY ? clock.after(nextDueInMs, scan) : undefined;
    return () => {
      cancelDeadline?.();
      cancelRetry?.();
    };
  }

  /** Handles the due rows in the order of their time. Returns the next deadline; Infinity if there is none. */
  async function handleDeadlines(): Promise<number> {
    let after: Entry | undefined;
    while (!stopped) {
      const page = await store.list(deadlineRange, {
        // Usually the first row is not due yet, and all others are later.
        limit: after === undefined ? 1 : pageSize,
        skipCount: true,
        ...(after === undefined ? {} : { after: after.key }),
      });
      for (const entry of page.entries) {
        if (stopped) return Number.POSITIVE_INFINITY;
        const [, time = '0', planeId = '', resource = '', namespace = '', name = ''] = entry.key.segments;
        if (postponed.isDeferred(entry)) continue;
        if (Number(time) > clock.now()) return Number(time);
        const key: ObjectRef = { resource, namespace, name };
        try {
          await withPlane(options.plane, planeId, (plane) => handleDeadline(plane, key));
          // A row that was rewritten in the meantime stays, because its writer has requested another run.
          await deleteRowIfUnchanged(store, entry);
          postponed.forget(entry);
        } catch (error) {
          postponed.recordFailure(entry, error);
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
        // The scan and both workers can create work for each other.
      } while (running !== undefined || !pending.isIdle || !garbage.isIdle);
    },
    async stop() {
      stopped = true;
      scanRequested = false;
      cancelTimer?.();
      await Promise.all([running, pending.stop(), garbage.stop()]);
    },
  };
}
