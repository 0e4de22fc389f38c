import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { KindStoreOnDemand } from '../registry/kind-store-on-demand.ts';
import { mountStoredKind } from '../registry/verbs/stored-verbs.ts';
import { describeEvent, takeEvents, testWatchOptions } from '../registry/widgets.fixture.ts';
import { interruptibleStore } from '../store/interruptible-store.fixture.ts';
import { openMemoryStore } from '../store/memory.ts';
import { twoReplicas } from '../store/replicas.fixture.ts';
import type { Store } from '../store/store.ts';
import { openPlaneTestEnv, type PlaneTestEnv, testClientContext, testKind } from './plane.fixture.ts';
import type { PlanePart } from './plane-part.ts';

const rare = testKind('rares', 'Rare');
const key = 'rares.test.example';

const part: PlanePart = {
  resources: [],
  resourcesOnDemand: [rare],
  mount: () => [],
};

const clock = new ManualClock();
const openPlane = (store: Store) => openPlaneTestEnv({ store, clock, parts: [part] });

function isOpen({ kind }: PlaneTestEnv): boolean {
  const store = kind(key);
  return !(store instanceof KindStoreOnDemand) || store.isOpen;
}

describe('a kind whose store is opened on demand', () => {
  it('is empty until its first write, without an open store', async () => {
    const env = await openPlane(openMemoryStore({ clock }));
    const store = env.kind(key);
    const seen = [store.count(), store.bytes(), store.objectBytes(), store.peekAll(), store.peek('default', 'one')];
    expect(seen).toEqual([0, 0, 0, [], undefined]);
    expect(store.unchangedCheck('default', 'one')).toBeUndefined();
    // Discovery reads the verbs of all kinds, which must not open a store.
    expect(Object.keys(mountStoredKind(store).verbs)).toContain('create');
    expect(isOpen(env)).toBe(false);
    await env.create(key, 'one');
    expect([isOpen(env), store.count('default'), store.peek('default', 'one')?.object.metadata.name]).toEqual([
      true,
      1,
      'one',
    ]);
  });

  it('has its stored objects when the plane is loaded again', async () => {
    const store = openMemoryStore({ clock });
    const first = await openPlane(store);
    await first.create(key, 'one');
    first.plane.close();
    const second = await openPlane(store);
    expect(second.peek(key, 'one')?.metadata.name).toBe('one');
  });

  it('is emptied with its namespace, and deleting another namespace does not open it', async () => {
    const env = await openPlane(openMemoryStore({ clock }));
    await env.create('namespaces', 'empty');
    await env.create('namespaces', 'used');
    await env.remove('namespaces', 'empty');
    expect([env.peek('namespaces', 'empty'), isOpen(env)]).toEqual([undefined, false]);
    await env.create(key, 'one', {}, 'used');
    await env.remove('namespaces', 'used');
    expect([env.peek('namespaces', 'used'), env.kind(key).count()]).toEqual([undefined, 0]);
  });

  it('delivers events to a watch that was started while it was empty', async () => {
    const env = await openPlane(openMemoryStore({ clock }));
    const watch = await env.kind(key).verbs.watch(testClientContext('default'), testWatchOptions());
    await env.create(key, 'one');
    expect((await takeEvents(watch, 1)).map(describeEvent)).toEqual([expect.stringContaining('ADDED one')]);
  });

  it('opens when another replica creates its first object', async () => {
    const { current, delayed, gate } = await twoReplicas((store) => openPlane(store), openMemoryStore({ clock }));
    gate.hold();
    await current.create(key, 'one');
    expect([isOpen(delayed), delayed.peek(key, 'one')]).toEqual([false, undefined]);
    gate.open();
    expect(delayed.peek(key, 'one')?.metadata.name).toBe('one');
    await current.create(key, 'two');
    expect(delayed.kind(key).count()).toBe(2);
  });

  it('is up to date when the revision of the plane was awaited, without opening its store', async () => {
    const { current, delayed, gate } = await twoReplicas((store) => openPlane(store), openMemoryStore({ clock }));
    gate.hold();
    await delayed.kind(key).freshRevision();
    expect(isOpen(delayed)).toBe(false);
    await current.create(key, 'one');
    await delayed.kind(key).freshRevision();
    expect(delayed.peek(key, 'one')?.metadata.name).toBe('one');
  });

  it('receives objects that were created while the store could not deliver changes', async () => {
    const memory = openMemoryStore({ clock });
    const other = await openPlane(memory);
    const replica = interruptibleStore(memory);
    const env = await openPlane(replica.store);
    replica.hold();
    await other.create(key, 'one');
    replica.interrupt();
    await expect.poll(() => env.peek(key, 'one')?.metadata.name).toBe('one');
    await other.create(key, 'two');
    await expect.poll(() => env.kind(key).count()).toBe(2);
  });

  it('opens with all objects if it is first used while missed changes are read', async () => {
    const memory = openMemoryStore({ clock });
    const other = await openPlane(memory);
    const replica = interruptibleStore(memory);
    const env = await openPlane(replica.store);
    replica.hold();
    await other.create(key, 'one');
    replica.interrupt();
    const heard: (string | undefined)[] = [];
    env.kind(key).listen(({ after }) => void heard.push(after?.object.metadata.name));
    await expect.poll(() => heard).toEqual(['one']);
    await env.kind(key).freshRevision();
    expect(env.kind(key).count()).toBe(1);
  });
});
