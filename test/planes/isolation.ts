import { expect } from 'vitest';
import { StatusError } from '../../src/api/status.ts';
import type { ControlPlane } from '../../src/controlplane/control-plane.ts';
import { createAndBorrow, gadgets, testFleet, withBorrowedPlane } from '../../src/controlplane/fleet/fleet.fixture.ts';
import type { Fleet } from '../../src/controlplane/fleet/fleet.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { KindStore } from '../../src/registry/kind-store.ts';
import { maintenanceSlice, resourceKey } from '../../src/registry/rows/rows.ts';
import type { WatchStream } from '../../src/registry/verbs.ts';
import {
  newWidget,
  serverContext,
  testDeleteOptions,
  testListOptions,
  testPatchOptions,
  testWatchOptions,
  testWriteOptions,
  widgetResource,
} from '../../src/registry/widgets.fixture.ts';
import type { Store } from '../../src/store/store.ts';
import { SeededRandom } from '../bad-days/seeded-random.ts';

/**
 * The plane that must not change. The names of the other planes (its neighbors) mostly start with this name or are a
 * prefix of it.
 */
const untouched = 'vc-1';
const neighbours = ['vc', 'vc-', 'vc-11', 'vc-1-', 'vc-1a', 'vc-1\u0001', 'vc-0', 'vc-2'];
/** Names and namespaces of objects, identical in all planes. Some are prefixes of others. */
const names = ['a', 'aa', 'a.a', 'a-a', 'ab', 'first', 'second', 'x'];
const namespaces = ['a', 'b'];

/**
 * The number of operations that run at the same time. Large enough that operations share flushes, small enough that
 * their order stays random.
 */
const concurrency = 64;

export interface IsolationOptions {
  readonly operations: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly seed: number;
  /** Compacts old history during the operations. */
  compact?(): void;
}

/**
 * Performs the given number of random operations in the neighbors of a plane, and verifies that the plane has not
 * changed.
 */
export async function verifyIsolation(options: IsolationOptions): Promise<void> {
  const { store } = options;
  // A small memory budget, so planes are continually unloaded and loaded.
  const { fleet } = testFleet({ store, clock: options.clock, memoryBudget: 400_000 });
  const borrowed = await createAndBorrow(fleet, untouched);
  if (borrowed === undefined) throw new Error('the plane does not exist');
  const { plane } = borrowed;
  await furnish(plane);
  const before = await snapshot(store, plane);
  const revision = (await kindOf(plane, widgetResource).verbs.list(serverContext(), testListOptions())).resourceVersion;
  const watches = await openWatches(plane, revision);

  await disturb(fleet, new SeededRandom(options.seed), options);

  expect(await snapshot(store, plane)).toEqual(before);
  for (const watch of watches) expect([watch.take(), watch.isEnded]).toEqual([undefined, false]);
  const resumed = await kindOf(plane, widgetResource).verbs.watch(
    serverContext(),
    testWatchOptions({ resourceVersion: '1' }),
  );
  expect((await resumed[Symbol.asyncIterator]().next()).value).toMatchObject({ type: 'ADDED' });
  // Each watch still works: it receives the next change.
  await kindOf(plane, widgetResource).verbs.create(serverContext(), newWidget('the-last'), testWriteOptions);
  await kindOf(plane, gadgets).verbs.create(
    serverContext(),
    { ...newWidget('the-last'), kind: 'Gadget' },
    testWriteOptions,
  );
  for (const watch of watches)
    expect((await watch[Symbol.asyncIterator]().next()).value).toMatchObject({ type: 'ADDED' });
  borrowed.release();
  await withBorrowedPlane(fleet, untouched, async (reloaded) => {
    expect(kindOf(reloaded, widgetResource).count('a')).toBe(names.length + 1);
  });
  fleet.close();
}

function kindOf(plane: ControlPlane, resource: typeof widgetResource): KindStore {
  const store = plane.kinds.get(resourceKey(resource));
  if (store === undefined) throw new Error(`no ${resource.plural}`);
  return store;
}

async function furnish(plane: ControlPlane): Promise<void> {
  for (const name of names.filter((each) => each !== 'first' && each !== 'second')) {
    await kindOf(plane, widgetResource).verbs.create(
      serverContext(),
      newWidget(name, { metadata: { finalizers: ['x.example/f'] } }),
      testWriteOptions,
    );
  }
  await kindOf(plane, widgetResource).verbs.delete(
    serverContext(),
    'x',
    testDeleteOptions({ gracePeriodSeconds: 3_600 }),
  );
}

async function openWatches(plane: ControlPlane, resourceVersion: string): Promise<WatchStream[]> {
  const open = (resource: typeof widgetResource) =>
    kindOf(plane, resource).verbs.watch(
      serverContext(),
      testWatchOptions({ resourceVersion, timeoutMilliseconds: 3_600_000 }),
    );
  return Promise.all([widgetResource, gadgets, widgetResource].map(open));
}

/**
 * Returns the complete visible state of the plane: its bytes in the store, its counts, and its lists with their
 * revisions.
 */
async function snapshot(store: Store, plane: ControlPlane): Promise<unknown> {
  const rows: unknown[] = [];
  for await (const row of store.dump()) {
    if (row.row === 'slice' && row.slice === untouched) rows.push(row);
    const { slice, segments } = row.row === 'entry' ? row.key : { slice: '', segments: [] };
    if (slice === untouched || (slice === maintenanceSlice && segments.includes(untouched))) rows.push(row);
  }
  const kinds = [...plane.stores()];
  const lists = await Promise.all(kinds.map(({ verbs }) => verbs.list(serverContext(''), testListOptions())));
  return {
    rows,
    history: await store.history({ slice: untouched, prefix: [] }, 0),
    revision: await store.revision(untouched),
    counts: kinds.map((kind) => [kind.resource.plural, kind.count()]),
    lists: lists.map(({ items, resourceVersion }) => [resourceVersion, items.map((item) => item.json())]),
  };
}

async function disturb(fleet: Fleet, random: SeededRandom, options: IsolationOptions): Promise<void> {
  for (let done = 0; done < options.operations; done += concurrency) {
    const steps = Array.from({ length: Math.min(concurrency, options.operations - done) }, () => step(random));
    await Promise.all(steps.map((each) => perform(fleet, each)));
    if (done % (concurrency * 16) === 0) options.compact?.();
  }
}

function step(random: SeededRandom) {
  const act =
    random.below(2_000) === 0
      ? 'remove'
      : random.pick(['create', 'create', 'paint', 'hold', 'free', 'delete', 'empty', 'watch', 'list']);
  return {
    act,
    plane: random.pick(neighbours),
    resource: random.pick([widgetResource, gadgets]),
    namespace: random.pick(namespaces),
    name: random.pick(names),
    color: random.pick(['red', 'blue']),
  };
}

/** Performs an operation. A rejection is expected if the object or the plane no longer exists. */
async function perform(fleet: Fleet, each: ReturnType<typeof step>): Promise<void> {
  try {
    if (each.act === 'remove') return await fleet.remove(each.plane);
    const borrowed = await createAndBorrow(fleet, each.plane);
    if (borrowed === undefined) return;
    try {
      await act(kindOf(borrowed.plane, each.resource), each);
    } finally {
      borrowed.release();
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

async function act(kind: KindStore, each: ReturnType<typeof step>): Promise<void> {
  const { name, color } = each;
  const context = serverContext(each.namespace);
  const merge = (document: object) =>
    kind.verbs.patch(
      context,
      name,
      { type: 'merge', document: JSON.parse(JSON.stringify(document)), findings: [] },
      testPatchOptions,
    );
  const acts: Record<string, () => Promise<unknown>> = {
    create: () =>
      kind.verbs.create(
        context,
        { ...newWidget(name, { spec: { color } }), kind: kind.resource.kind },
        testWriteOptions,
      ),
    paint: () => merge({ spec: { color, parts: [color, name] } }),
    hold: () => merge({ metadata: { finalizers: ['x.example/f'] } }),
    free: () => merge({ metadata: { finalizers: null } }),
    delete: () => kind.verbs.delete(context, name, testDeleteOptions({ propagationPolicy: 'Foreground' })),
    empty: () => kind.verbs.deletecollection(context, testListOptions(), testDeleteOptions()),
    watch: async () => (await kind.verbs.watch(context, testWatchOptions())).close(),
    list: () => kind.verbs.list(context, testListOptions({ limit: 2 })),
  };
  await acts[each.act]?.();
}
