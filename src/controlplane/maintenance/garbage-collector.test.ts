import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/meta.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import { deadlineRange, dependentsRange, gcRange } from '../../registry/rows/rows.ts';
import type { DeleteOptions } from '../../registry/verbs.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { type ControlPlane, openControlPlane } from '../control-plane.ts';
import { systemContext } from '../system-context.ts';
import { type Maintenance, startMaintenance } from './maintenance.ts';
import { tasksInPlanes } from './maintenance-task.ts';

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

interface TestEnv {
  readonly store: Store;
  readonly plane: ControlPlane;
  readonly maintenance: Maintenance;
  readonly clock: ManualClock;
  kind(plural: string): KindStore;
  make(plural: string, name: string, metadata?: ObjectMeta, namespace?: string): Promise<KubeObject>;
  remove(plural: string, name: string, policy?: DeleteOptions['propagationPolicy']): Promise<void>;
  find(plural: string, name: string, namespace?: string): KubeObject | undefined;
}

const write = { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict' } as const;

let env: TestEnv | undefined;
afterEach(async () => {
  await env?.maintenance.stop();
  env?.plane.close();
  await env?.store.close();
});

async function newTestEnv(
  resources: readonly StoredResource[] = [kind('widgets', 'Widget', true), kind('racks', 'Rack', false)],
): Promise<TestEnv> {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  let maintenance: Maintenance | undefined;
  const plane = await openControlPlane({
    id: 'test',
    store,
    clock,
    log: silentLog,
    resources,
    mount: () => [],
    authorize: () => ({ allowed: true, reason: 'test' }),
    mayRead: () => undefined,
    onMaintenanceWork: () => maintenance?.wake(),
  });
  maintenance = startMaintenance({
    store,
    clock,
    log: silentLog,
    runTask: tasksInPlanes(store, async (id) => (id === 'test' ? plane : undefined)),
  });
  const kindOf = (plural: string): KindStore => {
    const found = plane.kinds.get(`${plural}.test.example`);
    if (found === undefined) throw new Error(plural);
    return found;
  };
  const namespaceFor = (plural: string, namespace: string) => (kindOf(plural).resource.namespaced ? namespace : '');
  env = {
    store,
    plane,
    maintenance,
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
      await maintenance?.idle();
    },
    find: (plural, name, namespace = 'one') => kindOf(plural).peek(namespaceFor(plural, namespace), name)?.object,
  };
  return env;
}

function ownerReference(owner: KubeObject, extra: Partial<OwnerReference> = {}): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...extra };
}

async function expectNoWork(store: Store): Promise<void> {
  expect((await store.list(gcRange)).entries).toEqual([]);
}

describe('garbage collection', () => {
  it('deletes objects that have lost all owners, down the whole chain (GC-01)', async () => {
    const { make, remove, find, store } = await newTestEnv();
    const rack = await make('racks', 'rack');
    const child = await make('widgets', 'child', { ownerReferences: [ownerReference(rack)] });
    await make('widgets', 'grandchild', { ownerReferences: [ownerReference(child)] });
    await remove('racks', 'rack');
    expect(find('widgets', 'child')).toBeUndefined();
    expect(find('widgets', 'grandchild')).toBeUndefined();
    await expectNoWork(store);
    expect((await store.list(dependentsRange('test', rack.metadata.uid ?? ''))).entries).toEqual([]);
  });

  it('keeps an object that still has an owner and removes its dangling reference (GC-03)', async () => {
    const { make, remove, find } = await newTestEnv();
    const first = await make('racks', 'first');
    const second = await make('racks', 'second');
    await make('widgets', 'child', { ownerReferences: [ownerReference(first), ownerReference(second)] });
    await remove('racks', 'first');
    expect(find('widgets', 'child')?.metadata.ownerReferences).toEqual([ownerReference(second)]);
  });

  it('collects an object whose owner was already gone at creation, by uid, not by name (GC-01)', async () => {
    const { make, remove, find, maintenance } = await newTestEnv();
    const old = await make('racks', 'rack');
    await remove('racks', 'rack');
    await make('racks', 'rack');
    await make('widgets', 'late', { ownerReferences: [ownerReference(old)] });
    await maintenance.idle();
    expect(find('widgets', 'late')).toBeUndefined();
  });

  it('counts an owner in another namespace as absent (GC-04)', async () => {
    const { make, find, maintenance } = await newTestEnv();
    const elsewhere = await make('widgets', 'owner', {}, 'two');
    await make('widgets', 'child', { ownerReferences: [ownerReference(elsewhere)] });
    await maintenance.idle();
    expect(find('widgets', 'child')).toBeUndefined();
  });

  it('never collects an object for a reference that it cannot resolve (GC-05)', async () => {
    const { make, find, maintenance } = await newTestEnv();
    const namespaced = await make('widgets', 'owner');
    await make('racks', 'rack', { ownerReferences: [ownerReference(namespaced)] });
    await make('widgets', 'stranger', {
      ownerReferences: [{ apiVersion: 'unknown.example/v1', kind: 'Thing', name: 'x', uid: 'u' }],
    });
    await maintenance.idle();
    expect(find('racks', 'rack')).toBeDefined();
    expect(find('widgets', 'stranger')).toBeDefined();
  });

  it('keeps the owner in a foreground deletion until every blocking dependent is gone (GC-06, DELETE-13)', async () => {
    const { make, remove, find, kind: kindOf, maintenance } = await newTestEnv();
    const rack = await make('racks', 'rack');
    await make('widgets', 'slow', {
      ownerReferences: [ownerReference(rack, { blockOwnerDeletion: true })],
      finalizers: ['test.example/hold'],
    });
    await make('widgets', 'free', { ownerReferences: [ownerReference(rack)], finalizers: ['test.example/hold'] });
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
    await maintenance.idle();
    expect(find('racks', 'rack')).toBeUndefined();
    expect(find('widgets', 'free')).toBeDefined();
  });

  it('deletes the dependents of dependents in the foreground too (GC-07)', async () => {
    const { make, remove, find } = await newTestEnv();
    const rack = await make('racks', 'rack');
    const middle = await make('widgets', 'middle', {
      ownerReferences: [ownerReference(rack, { blockOwnerDeletion: true })],
    });
    await make('widgets', 'leaf', {
      ownerReferences: [ownerReference(middle, { blockOwnerDeletion: true })],
      finalizers: ['test.example/hold'],
    });
    await remove('racks', 'rack', 'Foreground');
    expect(find('racks', 'rack')).toBeDefined();
    expect(find('widgets', 'middle')?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(find('widgets', 'leaf')?.metadata.deletionTimestamp).toBeDefined();
  });

  it('is not blocked by a cycle of references (GC-08)', async () => {
    const { make, remove, find, kind: kindOf, store } = await newTestEnv();
    const a = await make('widgets', 'a');
    const b = await make('widgets', 'b', { ownerReferences: [ownerReference(a, { blockOwnerDeletion: true })] });
    const c = await make('widgets', 'c', { ownerReferences: [ownerReference(b, { blockOwnerDeletion: true })] });
    await kindOf('widgets').verbs.patch(
      systemContext('one'),
      'a',
      {
        type: 'merge',
        document: { metadata: { ownerReferences: [ownerReference(c, { blockOwnerDeletion: true })] } },
        findings: [],
      },
      { ...write, force: false },
    );
    await remove('widgets', 'a', 'Foreground');
    for (const name of ['a', 'b', 'c']) expect(find('widgets', name)).toBeUndefined();
    await expectNoWork(store);
  });

  it('removes the references to an orphaning owner, keeps the dependents, then deletes the owner (GC-09, DELETE-14)', async () => {
    const { make, remove, find } = await newTestEnv();
    const rack = await make('racks', 'rack');
    await make('widgets', 'child', { ownerReferences: [ownerReference(rack)] });
    await remove('racks', 'rack', 'Orphan');
    expect(find('racks', 'rack')).toBeUndefined();
    expect(find('widgets', 'child')?.metadata.ownerReferences).toBeUndefined();
    expect(find('widgets', 'child')?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('deletes a dependent with the policy that its own finalizers request (GC-02)', async () => {
    const { make, remove, find } = await newTestEnv();
    const rack = await make('racks', 'rack');
    const child = await make('widgets', 'child', { ownerReferences: [ownerReference(rack)], finalizers: ['orphan'] });
    await make('widgets', 'grandchild', { ownerReferences: [ownerReference(child)] });
    await remove('racks', 'rack');
    expect(find('widgets', 'child')).toBeUndefined();
    expect(find('widgets', 'grandchild')).toBeDefined();
    expect(find('widgets', 'grandchild')?.metadata.ownerReferences).toBeUndefined();
  });

  it('resumes after a crash: recorded work that was not done is done at the next start', async () => {
    const { make, find, store, plane, clock, maintenance, kind: kindOf } = await newTestEnv();
    const rack = await make('racks', 'rack');
    await make('widgets', 'child', { ownerReferences: [ownerReference(rack)] });
    await maintenance.stop();
    await kindOf('racks').verbs.delete(systemContext(''), 'rack', {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      preconditions: {},
    });
    expect(find('widgets', 'child')).toBeDefined();
    const next = startMaintenance({ store, clock, log: silentLog, runTask: tasksInPlanes(store, async () => plane) });
    next.wake();
    await next.idle();
    expect(find('widgets', 'child')).toBeUndefined();
    await next.stop();
  });
});

describe('deadlines', () => {
  it('remove an object when its grace period ends, and a second delete may only shorten the period', async () => {
    const { make, find, clock, maintenance, kind: kindOf, store } = await newTestEnv();
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
    await maintenance.idle();
    clock.advance(29_000);
    await maintenance.idle();
    expect(find('widgets', 'graceful')).toBeDefined();
    clock.advance(2_000);
    await maintenance.idle();
    expect(find('widgets', 'graceful')).toBeUndefined();
    expect((await store.list(deadlineRange)).entries).toEqual([]);
  });

  it('remove an object within a second after the clock jumps beyond the grace period', async () => {
    const { make, find, clock, maintenance, kind: kindOf } = await newTestEnv();
    await make('widgets', 'w');
    await kindOf('widgets').verbs.delete(systemContext('one'), 'w', {
      dryRun: false,
      gracePeriodSeconds: 1_800,
      propagationPolicy: undefined,
      preconditions: {},
    });
    await maintenance.idle();
    clock.setWall(3_600_000);
    clock.advance(1_000);
    await maintenance.idle();
    expect(find('widgets', 'w')).toBeUndefined();
  });

  it('remove expired objects', async () => {
    const { make, find, clock, maintenance } = await newTestEnv([
      kind('widgets', 'Widget', true, {
        expiresAt: (record) => Date.parse(record.object.metadata.creationTimestamp ?? '') + 3_600_000,
      }),
    ]);
    await make('widgets', 'brief');
    await maintenance.idle();
    clock.advance(3_599_000);
    await maintenance.idle();
    expect(find('widgets', 'brief')).toBeDefined();
    clock.advance(2_000);
    await maintenance.idle();
    expect(find('widgets', 'brief')).toBeUndefined();
  });
});
