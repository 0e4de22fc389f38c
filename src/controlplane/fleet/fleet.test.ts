import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { planeRemovalKey, resourceKey } from '../../registry/rows/rows.ts';
import {
  describeEvent,
  newWidget,
  serverContext,
  takeEvents,
  testDeleteOptions,
  testListOptions,
  testWatchOptions,
  testWriteOptions,
  widgetResource,
} from '../../registry/widgets.fixture.ts';
import type { ControlPlane } from '../control-plane.ts';
import { startMaintenance } from '../maintenance/maintenance.ts';
import { tasksInPlanes } from '../maintenance/maintenance-task.ts';
import { gadgets, planeRowsOf, testFleet } from './fleet.fixture.ts';

function kind(plane: ControlPlane, resource = widgetResource): KindStore {
  const store = plane.kinds.get(resourceKey(resource));
  if (store === undefined) throw new Error(resource.plural);
  return store;
}

const create = (plane: ControlPlane, name: string, metadata = {}) =>
  kind(plane).verbs.create(serverContext(), newWidget(name, { metadata }), testWriteOptions);

const names = (plane: ControlPlane) =>
  kind(plane)
    .peekAll()
    .map(({ object }) => object.metadata.name);

describe('the fleet', () => {
  it('loads a plane once for all concurrent callers, and not again while it is loaded', async () => {
    const { fleet, opened } = testFleet();
    await fleet.create('one');
    expect(opened).toEqual([]);
    const [first, second] = await Promise.all([fleet.borrow('one'), fleet.borrow('one')]);
    expect(first?.plane).toBe(second?.plane);
    first?.release();
    second?.release();
    await fleet.withPlane('one', (plane) => create(plane, 'x'));
    expect(opened).toEqual(['one']);
    expect(await fleet.withPlane('one', async (plane) => names(plane))).toEqual(['first', 'second', 'x']);
  });

  it('stores one row for a new plane', async () => {
    const { fleet, store } = testFleet();
    const before = await planeRowsOf(store);
    await fleet.create('one');
    await fleet.create('one');
    await fleet.withPlane('one', async (plane) => names(plane));
    expect((await planeRowsOf(store)).length - before.length).toBe(2);
  });

  it('has no plane that was never created', async () => {
    const { fleet, opened } = testFleet();
    expect(await fleet.borrow('none')).toBeUndefined();
    expect(await fleet.withPlane('none', async () => 'there')).toBeUndefined();
    await fleet.remove('none');
    expect(fleet.loaded).toEqual({ planes: 0, bytes: 0 });
    expect(opened).toEqual([]);
    const made = await Promise.all([fleet.borrow('none'), fleet.borrowOrCreate('none')]);
    expect(made[1]?.plane.id).toBe('none');
  });

  it('unloads the least recently used plane, never one in use, and reloads it unchanged', async () => {
    const { fleet, opened } = testFleet({ memoryBudget: 200_000 });
    await fleet.borrowOrCreate('held').then((held) => held && create(held.plane, 'kept'));
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      const borrowed = await fleet.borrowOrCreate(id);
      if (borrowed !== undefined) await create(borrowed.plane, `in-${id}`);
      borrowed?.release();
    }
    expect(fleet.loaded.planes).toBeLessThan(6);
    expect(opened).toEqual(['held', 'a', 'b', 'c', 'd', 'e']);
    expect(await fleet.withPlane('a', async (plane) => names(plane))).toEqual(['first', 'in-a', 'second']);
    expect(await fleet.withPlane('held', async (plane) => names(plane))).toEqual(['first', 'kept', 'second']);
    expect(opened).toEqual(['held', 'a', 'b', 'c', 'd', 'e', 'a']);
  });

  it('keeps the most recently used plane of any size, and idle planes beside a plane in use of any size', async () => {
    const { fleet, opened } = testFleet({ memoryBudget: 200_000 });
    const large = await fleet.borrowOrCreate('large');
    if (large === undefined) throw new Error('not there');
    const annotations = { text: 'x'.repeat(200_000) };
    // Its size is measured when it is released.
    await fleet.withPlane('large', (plane) => create(plane, 'much', { annotations }));
    for (const id of ['a', 'b', 'a', 'b']) (await fleet.borrowOrCreate(id))?.release();
    expect(opened).toEqual(['large', 'a', 'b']);
    large.release();
    expect(fleet.loaded).toMatchObject({ planes: 1 });
    for (const _ of [1, 2]) await fleet.withPlane('large', async (plane) => names(plane));
    expect(opened).toEqual(['large', 'a', 'b']);
  });

  it('never ends a watch of a borrowed plane, and lets a watch resume after its plane was unloaded', async () => {
    const { fleet, opened } = testFleet({ memoryBudget: 1 });
    const borrowed = await fleet.borrowOrCreate('watched');
    if (borrowed === undefined) throw new Error('not there');
    const watch = await kind(borrowed.plane).verbs.watch(serverContext(), testWatchOptions({ resourceVersion: '2' }));
    for (const id of ['a', 'b']) (await fleet.borrowOrCreate(id))?.release();
    await fleet.withPlane('watched', (plane) => create(plane, 'x'));
    expect(await takeEvents(watch, 1).then((events) => events.map(describeEvent))).toEqual(['ADDED x@5']);
    borrowed.release();
    (await fleet.borrowOrCreate('c'))?.release();
    expect(await takeEvents(watch, 1)).toEqual([]);
    const resumed = await fleet.borrow('watched');
    expect(opened).toEqual(['watched', 'a', 'b', 'c', 'watched']);
    if (resumed === undefined) throw new Error('not there');
    const again = await kind(resumed.plane).verbs.watch(serverContext(), testWatchOptions({ resourceVersion: '2' }));
    expect(await takeEvents(again, 1).then((events) => events.map(describeEvent))).toEqual(['ADDED x@5']);
  });

  it('rejects all callers if a plane cannot be loaded, and tries again for the next caller', async () => {
    let broken = true;
    const good = testFleet();
    const { fleet } = testFleet({
      store: good.store,
      async open(id) {
        if (broken) throw new Error('no');
        const borrowed = await good.fleet.borrow(id);
        if (borrowed === undefined) throw new Error('not there');
        return borrowed.plane;
      },
    });
    await fleet.create('one');
    const both = await Promise.allSettled([fleet.borrow('one'), fleet.borrow('one')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    expect((await fleet.borrow('one'))?.plane.id).toBe('one');
  });
});

describe('a removed plane', () => {
  it('leaves nothing in the store and nothing in memory', async () => {
    const { fleet, store } = testFleet();
    await fleet.create('stays');
    await fleet.withPlane('stays', (plane) => create(plane, 'x', { finalizers: ['x.example/f'] }));
    const before = await planeRowsOf(store);
    await fleet.create('stays-not');
    await fleet.withPlane('stays-not', async (plane) => {
      const { object: owner } = await create(plane, 'owner');
      const { uid = '', name = '' } = owner.metadata;
      const ownerReferences = [{ apiVersion: 'test.example/v1', kind: 'Widget', name, uid }];
      await kind(plane, gadgets).verbs.create(
        serverContext(),
        { ...newWidget('owned', { metadata: { ownerReferences } }), kind: 'Gadget' },
        testWriteOptions,
      );
      await kind(plane).verbs.delete(serverContext(), 'owner', testDeleteOptions({ gracePeriodSeconds: 60 }));
      await kind(plane).verbs.delete(serverContext(), 'first', testDeleteOptions());
    });
    expect((await planeRowsOf(store)).length).toBeGreaterThan(before.length + 6);
    await fleet.remove('stays-not');
    expect(await planeRowsOf(store)).toEqual(before);
    expect(await store.revision('stays-not')).toBe(1);
    expect(fleet.loaded.planes).toBe(1);
    expect(await fleet.borrow('stays-not')).toBeUndefined();
    await fleet.remove('stays-not');
    expect(await planeRowsOf(store)).toEqual(before);
  });

  it('ends its watches, refuses its writes, and is not recreated by a write in progress', async () => {
    const { fleet, store } = testFleet();
    const borrowed = await fleet.borrowOrCreate('one');
    if (borrowed === undefined) throw new Error('not there');
    const watch = await kind(borrowed.plane).verbs.watch(serverContext(), testWatchOptions({ resourceVersion: '2' }));
    const writes = Array.from({ length: 20 }, (_, index) => create(borrowed.plane, `w${index}`));
    const settled = Promise.allSettled(writes);
    await Promise.all([fleet.remove('one'), fleet.remove('one')]);
    await settled;
    expect(await planeRowsOf(store)).toEqual([]);
    await expect(create(borrowed.plane, 'late')).rejects.toMatchObject({ code: 503 });
    expect((await takeEvents(watch, 100)).length).toBeLessThanOrEqual(20);
    borrowed.release();
    expect(fleet.loaded).toEqual({ planes: 0, bytes: 0 });
  });

  it('is erased by the next process if the first one crashed during the removal', async () => {
    const { fleet, store } = testFleet();
    await fleet.create('half');
    await fleet.withPlane('half', (plane) => create(plane, 'x'));
    const birth = { key: { slice: 'half', segments: ['born'] }, value: undefined };
    await store.transact({ writes: [birth, { key: planeRemovalKey('half'), value: '', unlogged: true }] });
    const next = testFleet({ store });
    expect(await next.fleet.borrow('half')).toBeUndefined();
    await expect(next.fleet.create('half')).rejects.toMatchObject({ code: 503 });
    await next.fleet.resumeRemovals();
    expect(await planeRowsOf(store)).toEqual([]);
  });

  it('cannot be borrowed while it is being removed', async () => {
    const { fleet } = testFleet();
    await fleet.create('one');
    const removing = fleet.remove('one');
    expect(await fleet.borrow('one')).toBeUndefined();
    await removing;
  });
});

describe('maintenance of the fleet', () => {
  it('loads planes with due work, releases them, and does not load the others', async () => {
    const clock = new ManualClock();
    const { fleet, store } = testFleet({ clock });
    for (const id of ['busy', 'idle', 'gone']) {
      await fleet.create(id);
      await fleet.withPlane(id, (plane) => create(plane, 'x'));
    }
    for (const id of ['busy', 'gone']) {
      await fleet.withPlane(id, (plane) =>
        kind(plane).verbs.delete(serverContext(), 'x', testDeleteOptions({ gracePeriodSeconds: 60 })),
      );
    }
    await fleet.remove('gone');
    fleet.close();

    const { fleet: next, opened } = testFleet({ store, clock, memoryBudget: 1 });
    const maintenance = startMaintenance({
      store,
      clock,
      log: silentLog,
      runTask: tasksInPlanes(store, next.planeSource),
    });
    maintenance.wake();
    await maintenance.idle();
    expect(opened).toEqual([]);
    clock.advance(61_000);
    await maintenance.idle();
    expect(opened).toEqual(['busy']);
    expect(next.loaded.planes).toBe(1);
    expect(await next.withPlane('busy', async (plane) => names(plane))).toEqual(['first', 'second']);
    await maintenance.stop();
  });
});

describe('planes with a common id prefix', () => {
  it('never see objects of each other', async () => {
    const { fleet } = testFleet();
    for (const id of ['vc', 'vc-1', 'vc-11']) await fleet.borrowOrCreate(id).then((it) => it && create(it.plane, id));
    const listed = await fleet.withPlane('vc-1', async (plane) =>
      kind(plane).verbs.list(serverContext(), testListOptions()),
    );
    expect(listed?.items.map(({ object }) => object.metadata.name)).toEqual(['first', 'second', 'vc-1']);
    await fleet.remove('vc-1');
    expect(await fleet.withPlane('vc-11', async (plane) => names(plane))).toEqual(['first', 'second', 'vc-11']);
    expect(await fleet.withPlane('vc', async (plane) => names(plane))).toEqual(['first', 'second', 'vc']);
  });
});
