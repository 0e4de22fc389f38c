import { type GcWork, gcKey, gcRange } from '../../registry/rows.ts';
import type { Key } from '../../store/key.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { collect } from './garbage-collector.ts';
import { inPlane } from './plane-objects.ts';
import { RowWork } from './row-work.ts';
import { takeRow } from './take-row.ts';
import type { UpkeepOptions } from './upkeep-options.ts';

/** The number of rows per page; the rest stays in the store, not in memory. */
const pageSize = 500;

/**
 * Collects the garbage of all control planes: sequentially within a plane, concurrently across planes. An owner with a
 * hundred thousand dependents delays its own plane and no other.
 */
export function garbageWork({ store, clock, log, plane }: UpkeepOptions): RowWork {
  const work: RowWork = new RowWork({ clock, log, what: 'garbage', look: scan });

  async function scan(): Promise<void> {
    let isComplete = true;
    let after: Key | undefined;
    while (!work.isStopped) {
      const page = await store.list(gcRange, {
        limit: pageSize,
        uncounted: true,
        ...(after === undefined ? {} : { after }),
      });
      for (const [planeId, entries] of byPlane(page.entries)) {
        const due = entries.filter((entry) => !work.postponed.waits(entry));
        if (due.length === 0 || work.isActive(planeId)) continue;
        while (work.isFull) await work.oneEnds();
        if (work.isStopped) return;
        work.begin(planeId, () => collectAll(planeId, due));
      }
      const last = page.entries.at(-1);
      if (page.remaining === 0 || last === undefined) break;
      // The remaining rows of a plane that is being processed are read when that batch is done.
      const isActive = work.isActive(planeOf(last));
      if (isActive) isComplete = false;
      after = isActive ? gcKey(planeOf(last), afterAllUids) : last.key;
    }
    if (isComplete) work.postponed.end();
  }

  /** Returns false if the store is closed. Never rejects. */
  async function collectAll(planeId: string, entries: readonly Entry[]): Promise<boolean> {
    for (const entry of entries) {
      if (work.isStopped) return true;
      try {
        const garbage = JSON.parse(entry.value) as GcWork;
        await inPlane(plane, planeId, (objects) => collect(store, objects, garbage));
        // A row that was rewritten in the meantime stays, because its writer has requested another run.
        await takeRow(store, entry);
        work.postponed.forget(entry);
      } catch (error) {
        if (isStoreClosed(error)) return false;
        work.postponed.fail(entry, error);
      }
    }
    return true;
  }

  return work;
}

/** Sorts after every uid. */
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
