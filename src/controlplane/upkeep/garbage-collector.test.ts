import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/meta.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import { dependentsRange, dueRange, gcRange } from '../../registry/rows.ts';
import type { DeleteOptions } from '../../registry/verbs.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { type ControlPlane, openControlPlane } from '../control-plane.ts';
import { systemContext } from '../system-context.ts';
import { startUpkeep, type Upkeep } from './upkeep.ts';

function kind(plural: string, name: string, namespaced: boolean, extra: Partial<StoredResource> = {}): StoredResource {
  return defineResource({
    group: 'test.example',
    version: 'v1',
    kind: name,
    plural,
    singular: name.toLowerCase(),
    namespaced,
    schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
    hasStatus: false,
    gracePeriods: true,
    ...extra,
  });
}

interface World {
  readonly store: Store;
  readonly plane: ControlPlane;
  readonly upkeep: Upkeep;
  readonly clock: ManualClock;
  kind(plural: string): KindStore;
  make(plural: string, name: string, metadata?: ObjectMeta, namespace?: string): Promise<KubeObject>;
  remove(plural: string, name: string, policy?: DeleteOptions['propagationPolicy']): Promise<void>;
  find(plural: string, name: string, namespace?: string): KubeObject | undefined;
}

const write = { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict' } as const;

let world: World | undefined;
afterEach(async () => {
  await world?.upkeep.stop();
  world?.plane.close();
  await world?.store.close();
});

async function newWorld(
  resources: readonly StoredResource[] = [kind('widgets', 'Widget', true), kind('racks', 'Rack', false)],
): Promise<World> {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  let upkeep: Upkeep | undefined;
  const plane = await openControlPlane({
    id: 'test',
    store,
    clock,
    resources,
    mount: () => [],
    authorize: () => ({ allowed: true, reason: 'test' }),
    mayRead: () => undefined,
    onUpkeep: () => upkeep?.wake(),
  });
  upkeep = startUpkeep({ store, clock, log: silentLog, plane: async (id) => (id === 'test' ? plane : undefined) });
  const kindOf = (plural: string): KindStore => {
    const found = plane.kinds.get(`${plural}.test.example`);
    if (found === undefined) throw new Error(plural);
    return found;
  };
  const namespaceFor = (plural: string, namespace: string) => (kindOf(plural).resource.namespaced ? namespace : '');
  world = {
    store,
    plane,
    upkeep,
    clock,
    kind: kindOf,
    async make(plural, name, metadata = {}, namespace = 'one') {
      const { resource, verbs } = kindOf(plural);
      const object = {
        apiVersion: 'test.example/v1',
        kind: resource.kind,
        metadata: { ...metadata, name },
      } as KubeObject;
      return (await verbs.create(systemContext(namespaceFor(plural, namespace)), object, write)).object;
    },
    async remove(plural, name, policy) {
      await kindOf(plural).verbs.delete(systemContext(namespaceFor(plural, 'one')), name, {
        dryRun: false,
        gracePeriodSeconds: undefined,
        propagationPolicy: policy,
        preconditions: {},
      });
      await upkeep?.idle();
    },
    find: (plural, name, namespace = 'one') => kindOf(plural).peek(namespaceFor(plural, namespace), name)?.object,
  };
  return world;
}

function owned(owner: KubeObject, extra: Partial<OwnerReference> = {}): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...extra };
}

async function nothingLeftToDo(store: Store): Promise<void> {
  expect((await store.list(gcRange)).entries).toEqual([]);
}

describe('garbage collection', () => {
  it('deletes what has lost all its owners, down the whole chain (GC-01)', async () => {
    const { make, remove, find, store } = await newWorld();
    const rack = await make('racks', 'rack');
    const child = await make('widgets', 'child', { ownerReferences: [owned(rack)] });
    await make('widgets', 'grandchild', { ownerReferences: [owned(child)] });
    await remove('racks', 'rack');
    expect(find('widgets', 'child')).toBeUndefined();
    expect(find('widgets', 'grandchild')).toBeUndefined();
    await nothingLeftToDo(store);
    expect((await store.list(dependentsRange('test', rack.metadata.uid ?? ''))).entries).toEqual([]);
  });

  it('keeps what still has an owner and takes the dead reference away (GC-03)', async () => {
    const { make, remove, find } = await newWorld();
    const first = await make('racks', 'first');
    const second = await make('racks', 'second');
    await make('widgets', 'child', { ownerReferences: [owned(first), owned(second)] });
    await remove('racks', 'first');
    expect(find('widgets', 'child')?.metadata.ownerReferences).toEqual([owned(second)]);
  });

  it('collects what is created with an owner that is already gone, by uid, not by name (GC-01)', async () => {
    const { make, remove, find, upkeep } = await newWorld();
    const old = await make('racks', 'rack');
    await remove('racks', 'rack');
    await make('racks', 'rack');
    await make('widgets', 'late', { ownerReferences: [owned(old)] });
    await upkeep.idle();
    expect(find('widgets', 'late')).toBeUndefined();
  });

  it('counts an owner in another namespace as absent (GC-04)', async () => {
    const { make, find, upkeep } = await newWorld();
    const elsewhere = await make('widgets', 'owner', {}, 'two');
    await make('widgets', 'child', { ownerReferences: [owned(elsewhere)] });
    await upkeep.idle();
    expect(find('widgets', 'child')).toBeUndefined();
  });

  it('never collects for a reference it cannot resolve (GC-05)', async () => {
    const { make, find, upkeep } = await newWorld();
    const namespaced = await make('widgets', 'owner');
    await make('racks', 'rack', { ownerReferences: [owned(namespaced)] });
    await make('widgets', 'stranger', {
      ownerReferences: [{ apiVersion: 'unknown.example/v1', kind: 'Thing', name: 'x', uid: 'u' }],
    });
    await upkeep.idle();
    expect(find('racks', 'rack')).toBeDefined();
    expect(find('widgets', 'stranger')).toBeDefined();
  });

  it('keeps the owner in a foreground deletion until every blocking dependent is gone (GC-06, DELETE-13)', async () => {
    const { make, remove, find, kind: kindOf, upkeep } = await newWorld();
    const rack = await make('racks', 'rack');
    await make('widgets', 'slow', {
      ownerReferences: [owned(rack, { blockOwnerDeletion: true })],
      finalizers: ['test.example/hold'],
    });
    await make('widgets', 'free', { ownerReferences: [owned(rack)], finalizers: ['test.example/hold'] });
    await remove('racks', 'rack', 'Foreground');
    expect(find('racks', 'rack')?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(find('widgets', 'slow')?.metadata.deletionTimestamp).toBeDefined();
    expect(find('widgets', 'free')?.metadata.deletionTimestamp).toBeDefined();
    await kindOf('widgets').verbs.patch(
      systemContext('one'),
      'slow',
      { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] },
      { ...write, force: false },
    );
    await upkeep.idle();
    expect(find('racks', 'rack')).toBeUndefined();
    expect(find('widgets', 'free')).toBeDefined();
  });

  it('deletes the dependents of dependents in the foreground too (GC-07)', async () => {
    const { make, remove, find } = await newWorld();
    const rack = await make('racks', 'rack');
    const middle = await make('widgets', 'middle', { ownerReferences: [owned(rack, { blockOwnerDeletion: true })] });
    await make('widgets', 'leaf', {
      ownerReferences: [owned(middle, { blockOwnerDeletion: true })],
      finalizers: ['test.example/hold'],
    });
    await remove('racks', 'rack', 'Foreground');
    expect(find('racks', 'rack')).toBeDefined();
    expect(find('widgets', 'middle')?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(find('widgets', 'leaf')?.metadata.deletionTimestamp).toBeDefined();
  });

  it('is not blocked by a circle of references (GC-08)', async () => {
    const { make, remove, find, kind: kindOf, store } = await newWorld();
    const a = await make('widgets', 'a');
    const b = await make('widgets', 'b', { ownerReferences: [owned(a, { blockOwnerDeletion: true })] });
    const c = await make('widgets', 'c', { ownerReferences: [owned(b, { blockOwnerDeletion: true })] });
    await kindOf('widgets').verbs.patch(
      systemContext('one'),
      'a',
      {
        type: 'merge',
        document: { metadata: { ownerReferences: [owned(c, { blockOwnerDeletion: true })] } },
        findings: [],
      },
      { ...write, force: false },
    );
    await remove('widgets', 'a', 'Foreground');
    for (const name of ['a', 'b', 'c']) expect(find('widgets', name)).toBeUndefined();
    await nothingLeftToDo(store);
  });

  it('orphans: the references go, the dependents stay, then the owner goes (GC-09, DELETE-14)', async () => {
    const { make, remove, find } = await newWorld();
    const rack = await make('racks', 'rack');
    await make('widgets', 'child', { ownerReferences: [owned(rack)] });
    await remove('racks', 'rack', 'Orphan');
    expect(find('racks', 'rack')).toBeUndefined();
    expect(find('widgets', 'child')?.metadata.ownerReferences).toBeUndefined();
    expect(find('widgets', 'child')?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('deletes a dependent in the way that its own finalizers ask for (GC-02)', async () => {
    const { make, remove, find } = await newWorld();
    const rack = await make('racks', 'rack');
    const child = await make('widgets', 'child', { ownerReferences: [owned(rack)], finalizers: ['orphan'] });
    await make('widgets', 'grandchild', { ownerReferences: [owned(child)] });
    await remove('racks', 'rack');
    expect(find('widgets', 'child')).toBeUndefined();
    expect(find('widgets', 'grandchild')).toBeDefined();
    expect(find('widgets', 'grandchild')?.metadata.ownerReferences).toBeUndefined();
  });

  it('goes on after a crash: work that was written but not done is done at the next start', async () => {
    const { make, find, store, plane, clock, upkeep, kind: kindOf } = await newWorld();
    const rack = await make('racks', 'rack');
    await make('widgets', 'child', { ownerReferences: [owned(rack)] });
    await upkeep.stop();
    await kindOf('racks').verbs.delete(systemContext(''), 'rack', {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      preconditions: {},
    });
    expect(find('widgets', 'child')).toBeDefined();
    const next = startUpkeep({ store, clock, log: silentLog, plane: async () => plane });
    next.wake();
    await next.idle();
    expect(find('widgets', 'child')).toBeUndefined();
    await next.stop();
  });
});

describe('deadlines', () => {
  it('removes an object when its grace period is over, and a second delete may only shorten it', async () => {
    const { make, find, clock, upkeep, kind: kindOf, store } = await newWorld();
    await make('widgets', 'graceful');
    const remove = (seconds: number) =>
      kindOf('widgets').verbs.delete(systemContext('one'), 'graceful', {
        dryRun: false,
        gracePeriodSeconds: seconds,
        propagationPolicy: undefined,
        preconditions: {},
      });
    await remove(60);
    expect(find('widgets', 'graceful')?.metadata.deletionGracePeriodSeconds).toBe(60);
    await remove(120);
    expect(find('widgets', 'graceful')?.metadata.deletionGracePeriodSeconds).toBe(60);
    await remove(30);
    expect(find('widgets', 'graceful')?.metadata.deletionGracePeriodSeconds).toBe(30);
    await upkeep.idle();
    clock.advance(29_000);
    await upkeep.idle();
    expect(find('widgets', 'graceful')).toBeDefined();
    clock.advance(2_000);
    await upkeep.idle();
    expect(find('widgets', 'graceful')).toBeUndefined();
    expect((await store.list(dueRange)).entries).toEqual([]);
  });

  it('removes it within a second of a clock that is put forward beyond that', async () => {
    const { make, find, clock, upkeep, kind: kindOf } = await newWorld();
    await make('widgets', 'w');
    await kindOf('widgets').verbs.delete(systemContext('one'), 'w', {
      dryRun: false,
      gracePeriodSeconds: 1_800,
      propagationPolicy: undefined,
      preconditions: {},
    });
    await upkeep.idle();
    clock.setWall(3_600_000);
    clock.advance(1_000);
    await upkeep.idle();
    expect(find('widgets', 'w')).toBeUndefined();
  });

  it('removes what has expired', async () => {
    const { make, find, clock, upkeep } = await newWorld([
      kind('widgets', 'Widget', true, {
        expiresAt: (record) => Date.parse(record.object.metadata.creationTimestamp ?? '') + 3_600_000,
      }),
    ]);
    await make('widgets', 'brief');
    await upkeep.idle();
    clock.advance(3_599_000);
    await upkeep.idle();
    expect(find('widgets', 'brief')).toBeDefined();
    clock.advance(2_000);
    await upkeep.idle();
    expect(find('widgets', 'brief')).toBeUndefined();
  });
});
