import { type GcWork, gcKey, gcRange } from '../../registry/rows.ts';
import type { Key } from '../../store/key.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { collect } from './garbage-collector.ts';
import { inPlane } from './plane-objects.ts';
import { RowWork } from './row-work.ts';
import { takeRow } from './take-row.ts';
import type { UpkeepOptions } from './upkeep.ts';

/** Rows taken from the store at a time; the rest waits there, not in memory. */
const batch = 500;

/**
 * Collects the garbage of all control planes: that of one plane piece by piece, that of several side by side. An owner
 * with a hundred thousand dependents keeps its own plane waiting, and no other.
 */
export function garbageWork({ store, clock, log, plane }: UpkeepOptions): RowWork {
  const work: RowWork = new RowWork({ clock, log, what: 'garbage', look });

  async function look(): Promise<void> {
    let sawAll = true;
    let after: Key | undefined;
    while (!work.isStopped) {
      const page = await store.list(gcRange, {
        limit: batch,
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
      // What else a plane has that is at work already is looked at when it has done.
      const isAtWork = work.isActive(planeOf(last));
      if (isAtWork) sawAll = false;
      after = isAtWork ? gcKey(planeOf(last), beyondUids) : last.key;
    }
    if (sawAll) work.postponed.end();
  }

  /** False: the store is closed. Never rejects. */
  async function collectAll(planeId: string, entries: readonly Entry[]): Promise<boolean> {
    for (const entry of entries) {
      if (work.isStopped) return true;
      try {
        const garbage = JSON.parse(entry.value) as GcWork;
        await inPlane(plane, planeId, (objects) => collect(store, objects, garbage));
        // One that was written anew meanwhile is there to be looked at again: whoever wrote it has said so.
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

/** Sorts behind every uid. */
const beyondUids = '\uffff';

function planeOf({ key }: Entry): string {
  return key.segments[1] ?? '';
}

function byPlane(entries: readonly Entry[]): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const entry of entries) {
    const planeId = planeOf(entry);
    const others = found.get(planeId);
    if (others === undefined) found.set(planeId, [entry]);
    else others.push(entry);
  }
  return found;
}
