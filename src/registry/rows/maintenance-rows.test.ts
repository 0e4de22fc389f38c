import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import type { Store } from '../../store/store.ts';
import type { KindStore } from '../kind-store.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  rejectionStatus,
  serverContext,
  testDeleteOptions,
  testPatchOptions,
  testSlice,
  testWriteOptions,
} from '../widgets.fixture.ts';
import { deadlineRange, type GcWork, gcRange } from './rows.ts';

async function work(store: Store): Promise<string[]> {
  const { entries } = await store.list(gcRange);
  return entries
    .map(({ value }) => JSON.parse(value) as GcWork)
    .map(({ what, resource, namespace, name }) => `${what} ${resource} ${namespace}/${name}`)
    .sort();
}

/**
 * Returns the work that a removal adds only in a shared store: another process may have created dependents of the object.
 */
function unknownDependents({ isShared }: Store, name: string): string[] {
  return isShared ? [`gone widgets.test.example a/${name}`] : [];
}

async function due(store: Store): Promise<string[]> {
  const { entries } = await store.list(deadlineRange);
  return entries.map(
    ({ key }) => `${new Date(Number(key.segments[1])).toISOString()} ${key.segments.slice(2).join(' ')}`,
  );
}

async function dependents(store: Store, uid: string): Promise<string[]> {
  const { entries } = await store.list({ slice: testSlice, prefix: ['owners', uid] });
  return entries.map(({ key }) => key.segments.slice(2).join(' '));
}

async function clearGcWork(store: Store): Promise<void> {
  await store.removePrefix({ slice: 'upkeep', prefix: ['gc'] });
}

const owned = (owner: KubeObject, change: JsonObject = {}) => ({
  metadata: {
    ownerReferences: [
      {
        apiVersion: owner.apiVersion,
        kind: owner.kind,
        name: owner.metadata.name ?? '',
        uid: owner.metadata.uid ?? '',
        ...change,
      },
    ],
  },
});

const make = async (kind: KindStore, name: string, sent: Parameters<typeof newWidget>[1] = {}) =>
  (await kind.verbs.create(callerContext(), newWidget(name, sent), testWriteOptions)).object;

const merge = (kind: KindStore, name: string, document: JsonObject) =>
  kind.verbs.patch(callerContext(), name, { type: 'merge', document, findings: [] }, testPatchOptions);

describe('garbage collector rows', () => {
  it('rows contain the key of an object and none of its content', async () => {
    const { kind, store } = await openWidgets();
    const owner = await make(kind, 'owner');
    await make(kind, 'dep', { spec: { size: 9007199254740993n, color: 'secret' } });
    await merge(kind, 'dep', owned(owner));
    const { entries } = await store.list(gcRange);
    expect(entries.map(({ value }) => Object.keys(JSON.parse(value) as GcWork).sort())).toEqual([
      ['name', 'namespace', 'resource', 'uid', 'what'],
    ]);
  });
});

describe('the owner index', () => {
  it('the index follows the owner references of objects', async () => {
    const { kind, store } = await openWidgets();
    const owner = await make(kind, 'owner');
    const uid = owner.metadata.uid ?? '';
    await make(kind, 'dep', owned(owner));
    expect(await dependents(store, uid)).toEqual(['widgets.test.example a dep']);
    await merge(kind, 'dep', { metadata: { ownerReferences: null } });
    expect(await dependents(store, uid)).toEqual([]);
    await merge(kind, 'dep', owned(owner));
    await kind.verbs.delete(callerContext(), 'dep', testDeleteOptions());
    expect(await dependents(store, uid)).toEqual([]);
  });
});

describe('garbage collector work', () => {
  it('work is added when owner references are written or changed, and only then', async () => {
    const { kind, store, maintenance } = await openWidgets();
    const owner = await make(kind, 'owner');
    expect([await work(store), maintenance.calls]).toEqual([[], 0]);
    await make(kind, 'dep', owned(owner));
    expect([await work(store), maintenance.calls]).toEqual([['check widgets.test.example a/dep'], 1]);
    await clearGcWork(store);
    await merge(kind, 'dep', { spec: { color: 'red' } });
    expect([await work(store), maintenance.calls]).toEqual([[], 1]);
    await merge(kind, 'dep', owned(owner, { controller: true }));
    expect(await work(store)).toEqual(['check widgets.test.example a/dep']);
  });

  it('work is added when an owner with dependents is removed', async () => {
    const { kind, store } = await openWidgets();
    const owner = await make(kind, 'owner');
    await make(kind, 'lonely');
    await make(kind, 'dep', owned(owner));
    await clearGcWork(store);
    await kind.verbs.delete(callerContext(), 'lonely', testDeleteOptions());
    expect(await work(store)).toEqual(unknownDependents(store, 'lonely'));
    await clearGcWork(store);
    await kind.verbs.delete(callerContext(), 'owner', testDeleteOptions());
    expect(await work(store)).toEqual(['gone widgets.test.example a/owner']);
  });

  it('work is added when an object starts to wait for its dependents (DELETE-13, DELETE-14)', async () => {
    const { kind, store } = await openWidgets();
    await make(kind, 'owner');
    await kind.verbs.delete(callerContext(), 'owner', testDeleteOptions({ propagationPolicy: 'Foreground' }));
    expect(await work(store)).toEqual(['check widgets.test.example a/owner']);
    await clearGcWork(store);
    await kind.verbs.delete(callerContext(), 'owner', testDeleteOptions({ propagationPolicy: 'Foreground' }));
    expect(await work(store)).toEqual([]);
    await kind.verbs.delete(callerContext(), 'owner', testDeleteOptions({ propagationPolicy: 'Orphan' }));
    expect(await work(store)).toEqual(['check widgets.test.example a/owner']);
  });

  it('work is added for an owner when a blocking dependent is removed or stops blocking', async () => {
    const { kind, store } = await openWidgets();
    const owner = await make(kind, 'owner');
    await make(kind, 'dep1', owned(owner, { blockOwnerDeletion: true }));
    await make(kind, 'dep2', owned(owner, { blockOwnerDeletion: true }));
    await make(kind, 'dep3', owned(owner));
    await clearGcWork(store);
    await kind.verbs.delete(callerContext(), 'dep3', testDeleteOptions());
    expect(await work(store)).toEqual(unknownDependents(store, 'dep3'));
    await clearGcWork(store);
    await kind.verbs.delete(callerContext(), 'dep1', testDeleteOptions());
    expect(await work(store)).toEqual(['check widgets.test.example a/owner', ...unknownDependents(store, 'dep1')]);
    await clearGcWork(store);
    await merge(kind, 'dep2', { metadata: { ownerReferences: null } });
    expect(await work(store)).toEqual(['check widgets.test.example a/owner']);
  });

  it('work for a removed owner stays when a dependent is removed after it', async () => {
    const { kind, store } = await openWidgets();
    const owner = await make(kind, 'owner');
    await make(kind, 'dep1', owned(owner, { blockOwnerDeletion: true }));
    await make(kind, 'dep2', owned(owner, { blockOwnerDeletion: true }));
    await clearGcWork(store);
    await kind.verbs.delete(callerContext(), 'owner', testDeleteOptions());
    await kind.verbs.delete(callerContext(), 'dep1', testDeleteOptions());
    expect(await work(store)).toEqual([...unknownDependents(store, 'dep1'), 'gone widgets.test.example a/owner']);
  });
});

describe('blockOwnerDeletion', () => {
  const field = 'metadata.ownerReferences[0].blockOwnerDeletion';

  it('blockOwnerDeletion needs the permission to delete the owner, and an owner of a known kind (§2.2 of the completions)', async () => {
    const authorized: unknown[] = [];
    const { kind } = await openWidgets();
    const owner = await make(kind, 'owner');
    const context = callerContext({
      may(attributes) {
        authorized.push(attributes);
        return false;
      },
    });
    const sent = newWidget('dep', owned(owner, { blockOwnerDeletion: true }));
    const refused = await rejectionStatus(kind.verbs.create(context, sent, testWriteOptions));
    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(refused.details?.causes?.map((cause) => cause.field)).toEqual([field]);
    expect(authorized).toEqual([
      { verb: 'delete', group: 'test.example', resource: 'widgets', namespace: 'a', name: 'owner' },
    ]);
    const strange = newWidget('dep', owned({ ...owner, kind: 'Stranger' }, { blockOwnerDeletion: true }));
    expect(
      (await rejectionStatus(kind.verbs.create(callerContext(), strange, testWriteOptions))).details?.causes?.[0]
        ?.field,
    ).toBe(field);
    await kind.verbs.create(serverContext(), sent, testWriteOptions);
  });

  it('an unchanged blockOwnerDeletion is not checked again (OWNER-09)', async () => {
    const { kind } = await openWidgets();
    const owner = await make(kind, 'owner');
    await make(kind, 'dep', owned(owner, { blockOwnerDeletion: true }));
    const patch = { type: 'merge', document: { spec: { color: 'red' } }, findings: [] } as const;
    await kind.verbs.patch(callerContext({ may: () => false }), 'dep', patch, testPatchOptions);
  });
});

describe('deadlines', () => {
  it('deadlines of grace periods are written, moved and deleted with the object', async () => {
    const { kind, store, maintenance } = await openWidgets();
    await make(kind, 'w', { metadata: { finalizers: ['x.example/f'] } });
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ gracePeriodSeconds: 60 }));
    expect(await due(store)).toEqual(['2026-01-01T00:01:00.000Z plane widgets.test.example a w']);
    expect(maintenance.calls).toBe(1);
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ gracePeriodSeconds: 10 }));
    expect(await due(store)).toEqual(['2026-01-01T00:00:10.000Z plane widgets.test.example a w']);
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ gracePeriodSeconds: 0 }));
    expect(await due(store)).toEqual([]);
  });

  it('an object is deleted at its expiry, and the deadline moves with the expiry', async () => {
    const { kind, store, clock } = await openWidgets({
      expiresAt: ({ object }) => {
        const { size } = (object.spec ?? {}) as { size?: number };
        return size === undefined ? undefined : Date.parse('2026-01-01T00:00:00Z') + size * 1000;
      },
    });
    await make(kind, 'w', { spec: { size: 60 } });
    expect(await due(store)).toEqual(['2026-01-01T00:01:00.000Z plane widgets.test.example a w']);
    await merge(kind, 'w', { spec: { size: 90 } });
    expect(await due(store)).toEqual(['2026-01-01T00:01:30.000Z plane widgets.test.example a w']);
    clock.advance(60_000);
    await kind.handleDeadline('a', 'w');
    expect(kind.peek('a', 'w')).toBeDefined();
    clock.advance(30_000);
    await kind.handleDeadline('a', 'w');
    expect(kind.peek('a', 'w')).toBeUndefined();
    expect(await due(store)).toEqual([]);
    await kind.handleDeadline('a', 'w');
  });

  it('an expired object waits for its finalizers like any deletion', async () => {
    const { kind, clock } = await openWidgets({ expiresAt: () => Date.parse('2026-01-01T00:00:05Z') });
    await make(kind, 'w', { metadata: { finalizers: ['x.example/f'] } });
    clock.advance(5_000);
    await kind.handleDeadline('a', 'w');
    expect(kind.peek('a', 'w')?.object.metadata.deletionTimestamp).toBe('2026-01-01T00:00:05Z');
  });
});

function colorLabel(object: KubeObject): Record<string, string> {
  const color = (object.spec as { color?: string } | undefined)?.color;
  return color === undefined ? {} : { color };
}

describe('companions', () => {
  it('companions are created, changed and deleted with their object, in one transaction', async () => {
    const boxes = { group: '', version: 'v1', kind: 'Box', plural: 'boxes', singular: 'box', namespaced: false };
    const boxKind = { ...boxes, hasStatus: false, schema: { type: 'object' as const } };
    const companions = ({ object }: { object: KubeObject }) => [
      {
        kind: boxKind,
        namespace: '',
        name: `box-${object.metadata.name}`,
        object: {
          apiVersion: 'v1',
          kind: 'Box',
          metadata: { labels: { of: object.metadata.name ?? '', ...colorLabel(object) } },
        } as KubeObject,
      },
    ];
    const { kind, store, clock } = await openWidgets({ companions });
    const other = await openWidgets(boxKind, { store, clock });
    await make(kind, 'w');
    expect(other.kind.peek('', 'box-w')?.object.metadata).toMatchObject({
      name: 'box-w',
      labels: { of: 'w' },
      uid: expect.any(String),
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    const { uid, resourceVersion } = other.kind.peek('', 'box-w')?.object.metadata ?? {};
    await merge(kind, 'w', { spec: { size: 2 } });
    expect(other.kind.peek('', 'box-w')?.object.metadata.resourceVersion).toBe(resourceVersion);
    await merge(kind, 'w', { spec: { color: 'red' } });
    expect(other.kind.peek('', 'box-w')?.object.metadata).toMatchObject({ uid, labels: { of: 'w', color: 'red' } });
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    expect(other.kind.peek('', 'box-w')).toBeUndefined();
    const taken = { apiVersion: 'v1', kind: 'Box', metadata: { name: 'box-w' } } as KubeObject;
    await other.kind.verbs.create(callerContext({ namespace: '' }), taken, testWriteOptions);
    expect(await rejectionStatus(kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions))).toMatchObject({
      code: 409,
      message: 'boxes "box-w" already exists',
    });
    expect(kind.peek('a', 'w')).toBeUndefined();
  });
});
