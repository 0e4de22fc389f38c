import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { gcRange, planeRemovalKey, planeRemovalRange, resourceKey } from '../../registry/rows/rows.ts';
import {
  describeEvent,
  newWidget,
  serverContext,
  storeWithOverrides,
  takeEvents,
  testDeleteOptions,
  testListOptions,
  testWatchOptions,
  testWriteOptions,
  widgetResource,
} from '../../registry/widgets.fixture.ts';
import { shardOf } from '../../replicas/shards.ts';
import { interruptibleStore } from '../../store/interruptible-store.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { twoReplicas } from '../../store/replicas.fixture.ts';
import type { ControlPlane } from '../control-plane.ts';
import { startMaintenance } from '../maintenance/maintenance.ts';
import { tasksInPlanes } from '../maintenance/maintenance-task.ts';
import { ensurePlaneCreated, readPlaneCreationRow } from '../plane-creation.ts';
import {
  createAndBorrow,
  gadgets,
  planeRowsOf,
  type TestFleetOptions,
  testFleet,
  withBorrowedPlane,
} from './fleet.fixture.ts';

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
    await withBorrowedPlane(fleet, 'one', (plane) => create(plane, 'x'));
    expect(opened).toEqual(['one']);
    expect(await withBorrowedPlane(fleet, 'one', async (plane) => names(plane))).toEqual(['first', 'second', 'x']);
  });

  it('stores one row for a new plane', async () => {
    const { fleet, store } = testFleet();
    const before = await planeRowsOf(store);
    await fleet.create('one');
    await fleet.create('one');
    await withBorrowedPlane(fleet, 'one', async (plane) => names(plane));
    expect((await planeRowsOf(store)).length - before.length).toBe(2);
  });

  it('has no plane that was never created', async () => {
    const { fleet, opened } = testFleet();
    expect(await fleet.borrow('none')).toBeUndefined();
    expect(await withBorrowedPlane(fleet, 'none', async () => 'there')).toBeUndefined();
    await fleet.remove('none');
    expect(fleet.loaded).toEqual({ planes: 0, bytes: 0 });
    expect(opened).toEqual([]);
    expect((await createAndBorrow(fleet, 'none'))?.plane.id).toBe('none');
  });

  it('unloads the least recently used plane, never one in use, and reloads it unchanged', async () => {
    const { fleet, opened } = testFleet({ memoryBudget: 200_000 });
    await createAndBorrow(fleet, 'held').then((held) => held && create(held.plane, 'kept'));
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      const borrowed = await createAndBorrow(fleet, id);
      if (borrowed !== undefined) await create(borrowed.plane, `in-${id}`);
      borrowed?.release();
    }
    expect(fleet.loaded.planes).toBeLessThan(6);
    expect(opened).toEqual(['held', 'a', 'b', 'c', 'd', 'e']);
    expect(await withBorrowedPlane(fleet, 'a', async (plane) => names(plane))).toEqual(['first', 'in-a', 'second']);
    expect(await withBorrowedPlane(fleet, 'held', async (plane) => names(plane))).toEqual(['first', 'kept', 'second']);
    expect(opened).toEqual(['held', 'a', 'b', 'c', 'd', 'e', 'a']);
  });

  it('keeps the most recently used plane of any size, and idle planes beside a plane in use of any size', async () => {
    const { fleet, opened } = testFleet({ memoryBudget: 200_000 });
    const large = await createAndBorrow(fleet, 'large');
    if (large === undefined) throw new Error('not there');
    const annotations = { text: 'x'.repeat(200_000) };
    // The size of a plane is measured when the plane is released.
    await withBorrowedPlane(fleet, 'large', (plane) => create(plane, 'much', { annotations }));
    for (const id of ['a', 'b', 'a', 'b']) (await createAndBorrow(fleet, id))?.release();
    expect(opened).toEqual(['large', 'a', 'b']);
    large.release();
    expect(fleet.loaded).toMatchObject({ planes: 1 });
    for (const _ of [1, 2]) await withBorrowedPlane(fleet, 'large', async (plane) => names(plane));
    expect(opened).toEqual(['large', 'a', 'b']);
  });

  it('unloads planes that another replica prefers when they were unused for a minute', async () => {
    const clock = new ManualClock();
    const { fleet, opened } = testFleet({ clock });
    const use = async (id: string) => (await createAndBorrow(fleet, id))?.release();
    for (const id of ['own', 'foreign', 'busy']) await use(id);
    const watched = await createAndBorrow(fleet, 'watched');
    fleet.preferShards([shardOf('own')]);
    expect(new Set(['own', 'foreign', 'busy', 'watched'].map(shardOf)).size).toBe(4);
    for (let seconds = 0; seconds < 120; seconds += 10) {
      await use('busy');
      clock.advance(10_000);
    }
    expect(fleet.loaded.planes).toBe(3);
    opened.length = 0;
    for (const id of ['own', 'foreign', 'busy', 'watched']) await use(id);
    expect(opened).toEqual(['foreign']);
    watched?.release();
    fleet.preferShards(['own', 'foreign'].map(shardOf));
    clock.advance(60_000);
    clock.advance(10_000);
    expect(fleet.loaded.planes).toBe(2);
    fleet.close();
  });

  it('never ends a watch of a borrowed plane, and lets a watch resume after its plane was unloaded', async () => {
    const { fleet, opened } = testFleet({ memoryBudget: 1 });
    const borrowed = await createAndBorrow(fleet, 'watched');
    if (borrowed === undefined) throw new Error('not there');
    const { resourceVersion } = await kind(borrowed.plane).verbs.list(serverContext(), testListOptions());
    const watch = await kind(borrowed.plane).verbs.watch(serverContext(), testWatchOptions({ resourceVersion }));
    for (const id of ['a', 'b']) (await createAndBorrow(fleet, id))?.release();
    await withBorrowedPlane(fleet, 'watched', (plane) => create(plane, 'x'));
    const [event] = (await takeEvents(watch, 1)).map(describeEvent);
    expect(event).toMatch(/^ADDED x@\d+$/);
    borrowed.release();
    (await createAndBorrow(fleet, 'c'))?.release();
    expect(await takeEvents(watch, 1)).toEqual([]);
    const resumed = await fleet.borrow('watched');
    expect(opened).toEqual(['watched', 'a', 'b', 'c', 'watched']);
    if (resumed === undefined) throw new Error('not there');
    const again = await kind(resumed.plane).verbs.watch(serverContext(), testWatchOptions({ resourceVersion }));
    expect((await takeEvents(again, 1)).map(describeEvent)).toEqual([event]);
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

describe('a plane whose changes were lost', () => {
  async function openInterrupted(options: TestFleetOptions = {}) {
    const clock = new ManualClock();
    const memory = openMemoryStore({ clock });
    const replica = interruptibleStore(memory);
    const { fleet, opened } = testFleet({ ...options, store: replica.store, clock });
    const other = testFleet({ store: memory, clock });
    const borrowed = await createAndBorrow(fleet, 'one');
    if (borrowed === undefined) throw new Error('not there');
    return { fleet, opened, other, replica, borrowed, memory };
  }

  it('is unloaded, and the next request loads it', async () => {
    const { fleet, opened, other, replica, borrowed } = await openInterrupted();
    const watch = await kind(borrowed.plane).verbs.watch(serverContext(), testWatchOptions({ resourceVersion: '2' }));
    replica.hold();
    await withBorrowedPlane(other.fleet, 'one', (plane) => create(plane, 'x'));
    replica.interrupt();
    expect((await takeEvents(watch, 9)).map(describeEvent)).toEqual([expect.stringContaining('ERROR 410')]);
    await expect.poll(() => fleet.loaded.planes).toBe(0);
    await expect(kind(borrowed.plane).verbs.list(serverContext(), testListOptions())).rejects.toMatchObject({
      code: 503,
    });
    await expect(create(borrowed.plane, 'y')).rejects.toMatchObject({ code: 503 });
    borrowed.release();
    expect(await withBorrowedPlane(fleet, 'one', async (plane) => names(plane))).toEqual(['first', 'second', 'x']);
    expect(opened).toEqual(['one', 'one']);
  });

  it('reads its objects again if it must stay loaded', async () => {
    const { fleet, opened, other, replica, borrowed } = await openInterrupted({ staysLoaded: (id) => id === 'one' });
    replica.hold();
    await withBorrowedPlane(other.fleet, 'one', async (plane) => {
      await create(plane, 'x');
      await kind(plane).verbs.delete(serverContext(), 'first', testDeleteOptions());
    });
    replica.interrupt();
    const listed = await kind(borrowed.plane).verbs.list(serverContext(), testListOptions());
    expect(listed.items.map(({ object }) => object.metadata.name)).toEqual(['second', 'x']);
    expect([opened, fleet.loaded.planes]).toEqual([['one'], 1]);
    await create(borrowed.plane, 'first');
    expect(await withBorrowedPlane(other.fleet, 'one', async (plane) => names(plane))).toEqual([
      'first',
      'second',
      'x',
    ]);
  });

  it('is unloaded if a newer release replaces its built-in objects', async () => {
    const { current, delayed, gate } = await twoReplicas((store) => testFleet({ store }));
    const borrowed = await createAndBorrow(delayed.fleet, 'one');
    if (borrowed === undefined) throw new Error('not there');
    const versionOf = (plane: ControlPlane) => kind(plane).peek('a', 'first')?.object.metadata.resourceVersion;
    const before = versionOf(borrowed.plane);
    const watch = await kind(borrowed.plane).verbs.watch(serverContext(), testWatchOptions());
    const { store, clock } = current;
    gate.hold();
    const newer = await ensurePlaneCreated({ store, slice: 'one', clock, builtinDigest: 'newer', builtinVersion: 99 });
    gate.open();
    await takeEvents(watch, 9);
    await expect.poll(() => delayed.fleet.loaded.planes).toBe(0);
    borrowed.release();
    const after = await withBorrowedPlane(delayed.fleet, 'one', async (plane) => versionOf(plane));
    expect([before, after]).toEqual([expect.not.stringMatching(`^${newer.revision}$`), `${newer.revision}`]);
    expect(delayed.opened).toEqual(['one', 'one']);
  });

  it('stays loaded if its own release updates the built-in objects while it is opened', async () => {
    const { current, delayed } = await twoReplicas((store) => testFleet({ store }));
    const { store, clock } = current;
    await ensurePlaneCreated({ store, slice: 'one', clock, builtinDigest: 'older', builtinVersion: 0 });
    expect(await withBorrowedPlane(delayed.fleet, 'one', async (plane) => names(plane))).toEqual(['first', 'second']);
    await withBorrowedPlane(current.fleet, 'one', (plane) => create(plane, 'x'));
    expect(await withBorrowedPlane(delayed.fleet, 'one', async (plane) => names(plane))).toEqual([
      'first',
      'second',
      'x',
    ]);
    expect([current.opened, delayed.opened]).toEqual([['one'], ['one']]);
  });

  it('is unloaded if another process removes it', async () => {
    const { fleet, other, borrowed, memory } = await openInterrupted();
    const watch = await kind(borrowed.plane).verbs.watch(serverContext(), testWatchOptions({ resourceVersion: '2' }));
    await other.fleet.remove('one');
    expect(await takeEvents(watch, 9)).toEqual([]);
    await expect.poll(() => fleet.loaded.planes).toBe(0);
    await expect(kind(borrowed.plane).verbs.list(serverContext(), testListOptions())).rejects.toMatchObject({
      code: 503,
    });
    borrowed.release();
    expect(await fleet.borrow('one')).toBeUndefined();
    expect(await planeRowsOf(memory)).toEqual([]);
  });
});

describe('a removed plane', () => {
  it('leaves nothing in the store and nothing in memory', async () => {
    const { fleet, store } = testFleet();
    // In a shared store, deadline rows of removed planes remain until they are due.
    const rows = async () => (await planeRowsOf(store)).filter((row) => !store.isShared || !row.includes('"due"'));
    await fleet.create('stays');
    await withBorrowedPlane(fleet, 'stays', (plane) => create(plane, 'x', { finalizers: ['x.example/f'] }));
    const before = await rows();
    await fleet.create('stays-not');
    await withBorrowedPlane(fleet, 'stays-not', async (plane) => {
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
    expect(await rows()).toEqual(before);
    expect(await store.revision('stays-not')).toBe(1);
    expect(fleet.loaded.planes).toBe(1);
    expect(await fleet.borrow('stays-not')).toBeUndefined();
    await fleet.remove('stays-not');
    expect(await rows()).toEqual(before);
  });

  it('ends its watches, refuses its writes, and is not recreated by a write in progress', async () => {
    const { fleet, store } = testFleet();
    const borrowed = await createAndBorrow(fleet, 'one');
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
    await withBorrowedPlane(fleet, 'half', (plane) => create(plane, 'x'));
    const birth = { key: { slice: 'half', segments: ['born'] }, value: undefined };
    await store.transact({ writes: [birth, { key: planeRemovalKey('half'), value: '', unlogged: true }] });
    const next = testFleet({ store });
    expect(await next.fleet.borrow('half')).toBeUndefined();
    await expect(next.fleet.create('half')).rejects.toMatchObject({ code: 503 });
    await next.fleet.resumeRemovals();
    expect(await planeRowsOf(store)).toEqual([]);
  });

  it('leaves no work for maintenance if another replica has written it', async () => {
    const { current, delayed, shared } = await twoReplicas((store) => testFleet({ store }));
    // `delayed` looks for maintenance work now, before `current` writes such work.
    await delayed.fleet.create('first');
    await delayed.fleet.remove('first');
    await current.fleet.create('one');
    await withBorrowedPlane(current.fleet, 'one', async (plane) => {
      const { object: owner } = await create(plane, 'owner');
      const { uid = '', name = '' } = owner.metadata;
      const ownerReferences = [{ apiVersion: 'test.example/v1', kind: 'Widget', name, uid }];
      await create(plane, 'owned', { ownerReferences });
    });
    expect((await shared.list(gcRange)).entries).toHaveLength(1);
    await delayed.fleet.remove('one');
    expect(await planeRowsOf(shared)).toEqual([]);
  });

  it('is not removed by a replica whose work another one has taken over', async () => {
    const { fleet, store } = testFleet();
    const key = { slice: 'replicas', segments: ['members', 'a'] };
    const [revision] = await store.transact({ writes: [{ key, value: '' }] });
    await fleet.create('one');
    await withBorrowedPlane(fleet, 'one', (plane) => create(plane, 'x'));
    await store.transact({ writes: [{ key, value: 'taken over' }] });
    await expect(fleet.remove('one', { key, revision })).rejects.toMatchObject({ code: 503 });
    expect(await withBorrowedPlane(fleet, 'one', async (plane) => names(plane))).toContain('x');
    const { revision: current } = (await store.get(key)) ?? {};
    await fleet.remove('one', { key, revision: current });
    expect(await readPlaneCreationRow(store, 'one')).toBeUndefined();
  });

  it('is erased by another replica if the first one is expelled before it has erased everything', async () => {
    const key = { slice: 'replicas', segments: ['members', 'a'] };
    const store = openMemoryStore();
    const [revision] = await store.transact({ writes: [{ key, value: '' }] });
    const expelling = storeWithOverrides(store, {
      async removePrefix(range) {
        await store.removePrefix(range);
        await store.transact({ writes: [{ key, value: 'expelled' }] });
      },
    });
    const { fleet } = testFleet({ store: expelling });
    await fleet.create('one');
    await expect(fleet.remove('one', { key, revision })).rejects.toMatchObject({ code: 503 });
    expect((await store.list(planeRemovalRange)).entries).toHaveLength(1);
    const next = testFleet({ store });
    await expect(next.fleet.resumeRemovals({ key, revision })).rejects.toMatchObject({ code: 503 });
    await next.fleet.resumeRemovals({ key, revision: (await store.get(key))?.revision });
    expect((await store.list(planeRemovalRange)).entries).toEqual([]);
  });

  it('is not created again by a replica that opens it during the removal', async () => {
    const { fleet, store } = testFleet({
      async open(id, planeStore, creationRow) {
        await store.transact({ writes: [{ key: creationRow.key, value: undefined }] });
        const clock = new ManualClock();
        const creation = { store: planeStore, slice: id, clock, builtinDigest: 'other', read: creationRow };
        throw new Error(`opened ${JSON.stringify(await ensurePlaneCreated(creation))}`);
      },
    });
    await fleet.create('one');
    expect(await fleet.borrow('one')).toBeUndefined();
    expect(fleet.loaded.planes).toBe(0);
    expect(await readPlaneCreationRow(store, 'one')).toBeUndefined();
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
      await withBorrowedPlane(fleet, id, (plane) => create(plane, 'x'));
    }
    for (const id of ['busy', 'gone']) {
      await withBorrowedPlane(fleet, id, (plane) =>
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
    expect(await withBorrowedPlane(next, 'busy', async (plane) => names(plane))).toEqual(['first', 'second']);
    await maintenance.stop();
  });
});

describe('planes with a common id prefix', () => {
  it('never see objects of each other', async () => {
    const { fleet } = testFleet();
    for (const id of ['vc', 'vc-1', 'vc-11']) await createAndBorrow(fleet, id).then((it) => it && create(it.plane, id));
    const listed = await withBorrowedPlane(fleet, 'vc-1', async (plane) =>
      kind(plane).verbs.list(serverContext(), testListOptions()),
    );
    expect(listed?.items.map(({ object }) => object.metadata.name)).toEqual(['first', 'second', 'vc-1']);
    await fleet.remove('vc-1');
    expect(await withBorrowedPlane(fleet, 'vc-11', async (plane) => names(plane))).toEqual([
      'first',
      'second',
      'vc-11',
    ]);
    expect(await withBorrowedPlane(fleet, 'vc', async (plane) => names(plane))).toEqual(['first', 'second', 'vc']);
  });
});
