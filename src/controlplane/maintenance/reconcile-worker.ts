import { reconcileRange } from '../../registry/rows/rows.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { maintenanceRowId } from './deferred-rows.ts';
import { deleteRowIfUnchanged } from './delete-row-if-unchanged.ts';
import type { MaintenanceOptions } from './maintenance-options.ts';
import { RowWorker } from './row-worker.ts';

/** The maximum number of rows in one list page. Other rows stay in the store, so memory use is limited. */
const pageSize = 500;

/**
 * Reconciles the objects that need it (`StoredResource.needsReconcile`), in all control planes. Runs one reconcile at a
 * time for each object, until the kind reports that the object is done. Loads only planes that have pending reconciles.
 */
export function reconcileWorker(options: MaintenanceOptions): RowWorker {
  const { store, clock, log } = options;
  const work: RowWorker = new RowWorker({ clock, log, workName: 'pending reconciles', scan: scan });

  async function scan(): Promise<void> {
    let after: Entry | undefined;
    while (!work.isStopped) {
      const page = await store.list(reconcileRange, {
        limit: pageSize,
        skipCount: true,
        ...(after === undefined ? {} : { after: after.key }),
      });
      for (const entry of page.entries) {
        while (work.isFull) await work.nextCompletion();
        if (work.isStopped) return;
        if (options.owns?.(entry.key.segments[1] ?? '') === false) continue;
        if (!work.deferredRows.isDeferred(entry)) work.start(maintenanceRowId(entry), () => reconcile(entry));
      }
      after = page.entries.at(-1);
      if (page.remaining === 0 || after === undefined) break;
    }
    work.deferredRows.endScan();
  }

  /**
   * Reconciles the object of a row. Returns true if the row still exists afterwards, which means that another run is
   * needed. Never rejects.
   */
  async function reconcile(entry: Entry): Promise<boolean> {
    const [, planeId = '', resource = '', namespace = '', name = ''] = entry.key.segments;
    try {
      const object = { resource, namespace, name };
      const retryAfterMs = await options.runTask(planeId, { type: 'reconcile', object }, options.fence);
      if (retryAfterMs === undefined) {
        work.deferredRows.forget(entry);
        return !(await deleteRowIfUnchanged(options, entry));
      }
      work.deferredRows.defer(entry, retryAfterMs);
      return true;
    } catch (error) {
      if (isStoreClosed(error)) return false;
      work.deferredRows.recordFailure(entry, error);
      return true;
    }
  }

  return work;
}
