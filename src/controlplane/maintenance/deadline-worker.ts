import type { Clock } from '../../lib/clock.ts';
import { deadlineRange } from '../../registry/rows/rows.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { deleteRowIfUnchanged } from './delete-row-if-unchanged.ts';
import type { MaintenanceOptions } from './maintenance-options.ts';
import { RowWorker } from './row-worker.ts';

/** The maximum number of rows in one list page. Other rows stay in the store, so memory use is limited. */
const pageSize = 500;

/**
 * The maximum time that a scan waits for the work of one page. After this time, the scan continues with the next page,
 * and skips planes whose work is still running. Without this wait, a scan would read all rows of a busy plane again for
 * each page.
 */
const patienceMs = 250;

/** Handles deadlines: ends grace periods and deletes expired objects. */
export interface DeadlineWorker extends Pick<RowWorker, 'isIdle' | 'idle' | 'stop'> {
  /**
   * Starts a scan if the new deadline is earlier than the time of the next scan. Without an argument, always starts a
   * scan.
   */
  wake(deadline?: number): void;
}

/**
 * Handles the deadlines of all control planes, the earliest first. Rows of the same plane are handled one after the other,
 * rows of different planes concurrently. So a plane that is stuck or slow delays no deadline of another plane.
 */
export function deadlineWorker(options: MaintenanceOptions): DeadlineWorker {
  const { store, clock, log } = options;
  const work: RowWorker = new RowWorker({ clock, log, workName: 'deadlines', scan });
  /** The time of the scheduled scan in milliseconds since the Unix epoch. */
  let nextDeadline = Number.POSITIVE_INFINITY;
  let cancelTimer = () => {};

  async function scan(): Promise<void> {
    cancelTimer();
    // During the scan, this value is Infinity, so every new deadline makes `wake` request another scan. This is
    // necessary because the current scan may already have passed the position at which the row of the new deadline is
    // inserted.
    nextDeadline = Number.POSITIVE_INFINITY;
    const next = await startDueWork();
    if (work.isStopped) return;
    work.deferredRows.endScan();
    nextDeadline = next;
    if (next < Number.POSITIVE_INFINITY) cancelTimer = clock.at(next, () => work.wake());
  }

  /** Starts the work of all rows that are due. Returns the next deadline, or Infinity. */
  async function startDueWork(): Promise<number> {
    let after: Entry | undefined;
    while (!work.isStopped) {
      const page = await store.list(deadlineRange, {
        // Usually the first row is not due yet. All other rows are later, so reading one row is enough.
        limit: after === undefined ? 1 : pageSize,
        skipCount: true,
        ...(after === undefined ? {} : { after: after.key }),
      });
      const { due, next } = dueRows(page.entries, {
        now: clock.now(),
        isSkipped: (entry) => work.deferredRows.isDeferred(entry),
        owns: (planeId) => options.owns?.(planeId) !== false,
      });
      await startPage(due);
      if (next !== undefined) return next;
      after = page.entries.at(-1);
      if (page.remaining === 0 || after === undefined) break;
    }
    return Number.POSITIVE_INFINITY;
  }

  /**
   * Starts the work of the rows of a page. Resolves when this work is done, or when it takes longer than `patienceMs`.
   */
  async function startPage(due: ReadonlyMap<string, readonly Entry[]>): Promise<void> {
    const started: Promise<boolean>[] = [];
    for (const [planeId, rows] of due) {
      // Skip a plane with running work. The rows of the plane are read again when that work is done.
      if (work.isActive(planeId)) continue;
      while (work.isFull) await work.nextCompletion();
      if (work.isStopped) return;
      work.start(planeId, () => {
        const handled = handleAll(planeId, rows);
        started.push(handled);
        return handled;
      });
    }
    if (started.length > 0) await completedWithin(patienceMs, started, clock);
  }

  /** Handles rows of a plane. Returns false if the store is closed. Never rejects. */
  async function handleAll(planeId: string, rows: readonly Entry[]): Promise<boolean> {
    for (const entry of rows) {
      if (work.isStopped) return true;
      const [, , , resource = '', namespace = '', name = ''] = entry.key.segments;
      try {
        const object = { resource, namespace, name };
        await options.runTask(planeId, { type: 'deadline', object }, options.fence);
        // If the row was rewritten during the work, it is not deleted, because there is new work.
        await deleteRowIfUnchanged(options, entry);
        work.deferredRows.forget(entry);
      } catch (error) {
        if (isStoreClosed(error)) return false;
        work.deferredRows.recordFailure(entry, error);
      }
    }
    return true;
  }

  return {
    get isIdle() {
      return work.isIdle;
    },
    idle: () => work.idle(),
    wake(deadline) {
      // Most new deadlines are later than the scheduled scan and need no earlier scan.
      if (deadline === undefined || deadline < nextDeadline) work.wake();
    },
    async stop() {
      cancelTimer();
      await work.stop();
      cancelTimer();
    },
  };
}

interface DueRowsOptions {
  /** The current time in milliseconds since the Unix epoch. */
  readonly now: number;
  /** True for a row that must be skipped even if its deadline has passed. */
  isSkipped(entry: Entry): boolean;
  /** True if this process handles the deadlines of this plane. */
  owns(planeId: string): boolean;
}

/** Returns the rows that are due, grouped by plane, and the deadline of the first row that is not due yet. */
function dueRows(
  entries: readonly Entry[],
  { now, isSkipped, owns }: DueRowsOptions,
): { due: Map<string, Entry[]>; next?: number } {
  const due = new Map<string, Entry[]>();
  for (const entry of entries) {
    const [, time = '0', planeId = ''] = entry.key.segments;
    if (isSkipped(entry)) continue;
    if (Number(time) > now) return { due, next: Number(time) };
    if (!owns(planeId)) continue;
    const rows = due.get(planeId);
    if (rows === undefined) due.set(planeId, [entry]);
    else rows.push(entry);
  }
  return { due };
}

/** Resolves when all work is done, or after the given time in milliseconds. */
async function completedWithin(milliseconds: number, work: readonly Promise<unknown>[], clock: Clock): Promise<void> {
  let cancelWait = () => {};
  const timeout = new Promise<void>((resolve) => {
    cancelWait = clock.after(milliseconds, resolve);
  });
  await Promise.race([Promise.all(work), timeout]);
  cancelWait();
}
