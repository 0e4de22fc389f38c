import type { KubeObject } from '../../api/meta.ts';
import { type Clock, ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { builtinObjectsDigest } from '../../registry/cache/builtin-objects.ts';
import type { StoredResource } from '../../registry/resource.ts';
import { maintenanceSlice } from '../../registry/rows/rows.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import { newWidget, widgetResource } from '../../registry/widgets.fixture.ts';
import { bellsSlice } from '../../replicas/bells.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import type { ControlPlane } from '../control-plane.ts';
import { storedEvents } from '../core/events.ts';
import { storedLeases } from '../core/leases.ts';
import { openKubernetesPlane } from '../kubernetes-plane.ts';
import type { PlanePart } from '../plane-part.ts';
import { type BorrowedPlane, createFleet, type Fleet, type FleetOptions } from './fleet.ts';

export const gadgets: StoredResource = { ...widgetResource, kind: 'Gadget', plural: 'gadgets', singular: 'gadget' };

const builtinObjects: readonly KubeObject[] = ['first', 'second'].map((name) =>
  newWidget(name, { metadata: { namespace: 'a' }, spec: { color: 'grey' } }),
);

const part: PlanePart = {
  resources: [widgetResource, gadgets, storedEvents, storedLeases],
  mount: (stores) => [...stores.values()].map((store) => mountStoredKind(store)),
  builtinObjects: builtinObjects,
};

export interface TestFleetOptions extends Partial<FleetOptions> {
  readonly store?: Store;
  readonly clock?: Clock;
}

/**
 * Creates a fleet for tests. Its planes have the kinds Widget, Gadget, Event and Lease, and two built-in widgets.
 * `opened` contains the IDs of the planes in the order in which they were loaded.
 */
export function testFleet(options: TestFleetOptions = {}) {
  const clock = options.clock ?? new ManualClock();
  const store = options.store ?? openTestStore({ clock });
  const opened: string[] = [];
  const fleet = createFleet({
    memoryBudget: 1024 * 1024 * 1024,
    builtinObjectsDigest: () => builtinObjectsDigest([builtinObjects]),
    async open(id, planeStore) {
      opened.push(id);
      const compose = () => ({ parts: [part], authorize: () => ({ allowed: true, reason: '' }) });
      return openKubernetesPlane({
        id,
        store: planeStore,
        clock,
        log: silentLog,
        compose,
        onMaintenanceWork: () => {},
      });
    },
    ...options,
    store,
    clock,
    log: silentLog,
  });
  return { fleet, store, clock, opened };
}

/** Creates a plane if it does not exist, and borrows it. Resolves with `undefined` if the plane is being removed. */
export async function createAndBorrow(fleet: Fleet, id: string): Promise<BorrowedPlane | undefined> {
  await fleet.create(id);
  return await fleet.borrow(id);
}

/**
 * Calls `work` with a plane and releases the plane afterwards. Resolves with `undefined` if the plane does not exist.
 */
export async function withBorrowedPlane<T>(
  fleet: Fleet,
  id: string,
  work: (plane: ControlPlane) => Promise<T>,
): Promise<T | undefined> {
  const borrowed = await fleet.borrow(id);
  if (borrowed === undefined) return undefined;
  try {
    return await work(borrowed.plane);
  } finally {
    borrowed.release();
  }
}

/** Returns all stored rows of planes as JSON, so that tests can compare them or search for rows of removed planes. */
export async function planeRowsOf(store: Store): Promise<string[]> {
  const rows: string[] = [];
  for await (const row of store.dump()) {
    if (row.row === 'head' || (row.row === 'slice' && row.slice === maintenanceSlice)) continue;
    // A bell belongs to a shard, not to a plane.
    if ((row.row === 'slice' ? row.slice : row.key.slice) === bellsSlice) continue;
    rows.push(JSON.stringify(row));
  }
  return rows;
}
