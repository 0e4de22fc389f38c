import { pendingRange } from '../../registry/rows.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { inPlane, storeOf } from './plane-objects.ts';
import { idOf } from './postponed.ts';
import { RowWork } from './row-work.ts';
import { takeRow } from './take-row.ts';
import type { UpkeepOptions } from './upkeep.ts';

/** Rows taken from the store at a time; the rest waits there, not in memory. */
const batch = 500;

/**
 * Settles what is pending (`StoredResource.pending`) in all control planes: each object once at a time, and until its
 * kind says that it is settled. Only planes that have such an object are loaded.
 */
export function pendingWork({ store, clock, log, plane }: UpkeepOptions): RowWork {
  const work: RowWork = new RowWork({ clock, log, what: 'pending work', look });

  async function look(): Promise<void> {
    let after: Entry | undefined;
    while (!work.isStopped) {
      const page = await store.list(pendingRange, {
        limit: batch,
        uncounted: true,
        ...(after === undefined ? {} : { after: after.key }),
      });
      for (const entry of page.entries) {
        while (work.isFull) await work.oneEnds();
        if (work.isStopped) return;
        if (!work.postponed.waits(entry)) work.begin(idOf(entry), () => settle(entry));
      }
      after = page.entries.at(-1);
      if (page.remaining === 0 || after === undefined) break;
    }
    work.postponed.end();
  }

  /** Whether its row is still there. Never rejects. */
  async function settle(entry: Entry): Promise<boolean> {
    const [, planeId = '', resource = '', namespace = '', name = ''] = entry.key.segments;
    try {
      const again = await inPlane(plane, planeId, async (objects) =>
        storeOf(objects, resource)?.resource.settle?.(namespace, name),
      );
      if (again === undefined) {
        work.postponed.forget(entry);
        return !(await takeRow(store, entry));
      }
      work.postponed.wait(entry, again);
      return true;
    } catch (error) {
      if (isStoreClosed(error)) return false;
      work.postponed.fail(entry, error);
      return true;
    }
  }

  return work;
}
