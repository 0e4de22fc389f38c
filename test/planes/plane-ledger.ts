import assert from 'node:assert/strict';
import { testFleet, withBorrowedPlane } from '../../src/controlplane/fleet/fleet.fixture.ts';
import { maintenanceSlice, resourceKey } from '../../src/registry/rows/rows.ts';
import { widgetResource } from '../../src/registry/widgets.fixture.ts';
import type { Store } from '../../src/store/store.ts';

interface Known {
  readonly has: Set<string>;
  readonly lost: Set<string>;
  removal: 'none' | 'begun' | 'done';
}

/** The acknowledgments that the writers of all rounds have received. */
export class PlaneLedger {
  readonly #planes = new Map<string, Known>();

  get totals() {
    const all = [...this.#planes.values()];
    const count = (removal: Known['removal']) => all.filter((known) => known.removal === removal).length;
    return { kept: count('none'), between: count('begun'), removed: count('done') };
  }

  record(line: string): void {
    const [word, id = '', name = ''] = line.split(' ');
    const known = this.#planes.get(id) ?? { has: new Set(), lost: new Set(), removal: 'none' };
    this.#planes.set(id, known);
    if (word === 'has') known.has.add(name);
    else if (word === 'lost') known.lost.add(name);
    else if (word === 'removing') known.removal = 'begun';
    else if (word === 'removed') known.removal = 'done';
  }

  /** Verifies the store that the killed process left. First completes the removals that the process had begun. */
  async verify(store: Store): Promise<void> {
    const { fleet } = testFleet({ store });
    await fleet.resumeRemovals();
    const traces = await planesIn(store);
    for (const [id, known] of this.#planes) {
      const isThere =
        (await withBorrowedPlane(fleet, id, async (plane) => {
          const kind = plane.kinds.get(resourceKey(widgetResource));
          assert.notEqual(known.removal, 'done', `${id} was removed and is there`);
          const names = new Set(kind?.peekAll().map(({ object }) => object.metadata.name ?? ''));
          for (const name of known.has) assert.ok(names.has(name), `${name} of ${id} is lost`);
          for (const name of known.lost) assert.ok(!names.has(name), `${name} of ${id} was deleted and is there`);
          assert.ok(names.has('second'), `${id} lost what stands in it`);
          return true;
        })) === true;
      if (known.removal === 'none') assert.ok(isThere, `${id} is lost`);
      if (!isThere) assert.ok(!traces.has(id), `${id} is gone and has left something`);
      // An unacknowledged removal may or may not have happened. The first verification records which, and later
      // verifications must find the same state.
      if (known.removal === 'begun') known.removal = isThere ? 'none' : 'done';
    }
    fleet.close();
  }
}

/** Returns all planes of which at least one row is in the store. */
async function planesIn(store: Store): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const row of store.dump()) {
    if (row.row === 'slice') found.add(row.slice);
    if (row.row !== 'entry') continue;
    found.add(row.key.slice);
    if (row.key.slice === maintenanceSlice) for (const segment of row.key.segments) found.add(segment);
  }
  return found;
}
