import { pendingRange } from '../../registry/rows.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { inPlane, storeOf } from './plane-objects.ts';
import { idOf } from './postponed.ts';
import { RowWork } from './row-work.ts';
import { takeRow } from './take-row.ts';
import type { UpkeepOptions } from './upkeep-options.ts';

/** The number of rows per page; the rest stays in the store, not in memory. */
const pageSize = 500;

/**
 * Runs the pending reconciles (`StoredResource.needsReconcile`) of all control planes: at most one at a time per
 * object, until its kind reports that it is done. Loads only planes that have such an object.
 */
export function pendingWork({ store, clock, log, plane }: UpkeepOptions): RowWork {
  const work: RowWork = new RowWork({ clock, log, what: 'pending reconciles', look: scan });

  async function scan(): Promise<void> {
    let after: Entry | undefined;
    while (!work.isStopped) {
      const page = await store.list(pendingRange, {
        limit: pageSize,
        uncounted: true,
        ...(after === undefined ? {} : { after: after.key }),
      });
      for (const entry of page.entries) {
        while (work.isFull) await work.oneEnds();
        if (work.isStopped) return;
        if (!work.postponed.waits(entry)) work.begin(idOf(entry), () => reconcile(entry));
      }
      after = page.entries.at(-1);
      if (page.remaining === 0 || after === undefined) break;
    }
    work.postponed.end();
  }

  /** Reports whether its row is still there. Never rejects. */
  async function reconcile(entry: Entry): Promise<boolean> {
    const [, planeId = '', resource = '', namespace = '', name = ''] = entry.key.segments;
    try {
      const retryAfterMs = await inPlane(plane, planeId, async (objects) =>
        storeOf(objects, resource)?.resource.settle?.(namespace, name),
      );
      if (retryAfterMs === undefined) {
        work.postponed.forget(entry);
        return !(await takeRow(store, entry));
      }
      work.postponed.wait(entry, retryAfterMs);
      return true;
    } catch (error) {
      if (isStoreClosed(error)) return false;
      work.postponed.fail(entry, error);
      return true;
    }
  }

  return work;
}
