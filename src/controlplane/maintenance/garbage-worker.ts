import { type GcWork, gcKey, gcRange } from '../../registry/rows/rows.ts';
import type { Key } from '../../store/key.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { deleteRowIfUnchanged } from './delete-row-if-unchanged.ts';
import type { MaintenanceOptions } from './maintenance-options.ts';
import { RowWorker } from './row-worker.ts';

/** The maximum number of rows in one list page. Other rows stay in the store, so memory use is limited. */
const pageSize = 500;

/**
 * Collects the garbage of all control planes. Rows of the same plane are processed one after the other, rows of
 * different planes concurrently. So an owner with a hundred thousand dependents delays only its own plane.
 */
export function garbageWorker(options: MaintenanceOptions): RowWorker {
  const { store, clock, log } = options;
  const work: RowWorker = new RowWorker({ clock, log, workName: 'garbage', scan: scan });

  async function scan(): Promise<void> {
    let isComplete = true;
    let after: Key | undefined;
    while (!work.isStopped) {
      const page = await store.list(gcRange, {
        limit: pageSize,
        skipCount: true,
        ...(after === undefined ? {} : { after }),
      });
      for (const [planeId, entries] of byPlane(page.entries)) {
        const due = entries.filter((entry) => !work.deferredRows.isDeferred(entry));
        if (due.length === 0 || work.isActive(planeId) || options.owns?.(planeId) === false) continue;
        while (work.isFull) await work.nextCompletion();
        if (work.isStopped) return;
        work.start(planeId, () => collectAll(planeId, due));
      }
      const last = page.entries.at(-1);
      if (page.remaining === 0 || last === undefined) break;
      // If the plane of the last row is being processed, the scan skips the remaining rows of this plane. They are read
      // again after the processing has ended.
      const isActive = work.isActive(planeOf(last));
      if (isActive) isComplete = false;
      after = isActive ? gcKey(planeOf(last), afterAllUids) : last.key;
    }
    if (isComplete) work.deferredRows.endScan();
  }

  /** Processes the garbage rows of a plane. Returns false if the store is closed. Never rejects. */
  async function collectAll(planeId: string, entries: readonly Entry[]): Promise<boolean> {
    for (const entry of entries) {
      if (work.isStopped) return true;
      try {
        const garbage = JSON.parse(entry.value) as GcWork;
        await options.runTask(planeId, { type: 'garbage', work: garbage }, options.fence);
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

  return work;
}

/** A key segment that sorts after every UID. */
const afterAllUids = '\uffff';

function planeOf({ key }: Entry): string {
  return key.segments[1] ?? '';
}

function byPlane(entries: readonly Entry[]): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const entry of entries) {
    const planeId = planeOf(entry);
    const rows = found.get(planeId);
    if (rows === undefined) found.set(planeId, [entry]);
    else rows.push(entry);
  }
  return found;
}
