import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import { reconcileRange } from '../../../registry/rows/rows.ts';
import { rejectionStatus } from '../../../registry/widgets.fixture.ts';
import {
  addableTestKind,
  openPlaneTestEnv,
  type PlaneTestEnv,
  testClientContext,
  testDeleteOptions,
  testKind,
  testWriteOptions,
} from '../../plane.fixture.ts';

const widgets = testKind('widgets', 'Widget');
const key = 'widgets.test.example';

function finalizeOf({ plane }: PlaneTestEnv) {
  const update = plane.find('', 'v1', 'namespaces')?.subresources.finalize?.verbs.update;
  if (update === undefined) throw new Error('namespaces have no finalize');
  return (object: KubeObject) => update(testClientContext(), object.metadata.name ?? '', object, testWriteOptions);
}

function conditionsOf(object: KubeObject | undefined): Record<string, string> {
  const conditions = ((object?.status as JsonObject | undefined)?.conditions ?? []) as JsonObject[];
  return Object.fromEntries(conditions.map((one) => [`${one.type}=${one.status}`, `${one.reason}: ${one.message}`]));
}

describe('namespaces of a plane', () => {
  it('include the built-in default, kube-public and kube-system', async () => {
    const { kind } = await openPlaneTestEnv();
    const all = kind('namespaces').peekAll();
    expect(all.map(({ object }) => object.metadata.name)).toEqual(['default', 'kube-public', 'kube-system']);
    expect(all[0]?.object).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('that are built in cannot be deleted (CREATE-22)', async () => {
    const { kind } = await openPlaneTestEnv();
    for (const name of ['default', 'kube-public', 'kube-system']) {
      expect(
        await rejectionStatus(kind('namespaces').verbs.delete(testClientContext(), name, testDeleteOptions())),
      ).toMatchObject({
        code: 403,
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      });
    }
  });

  it('get phase, finalizer and name label at creation, regardless of the request body', async () => {
    const { create } = await openPlaneTestEnv();
    const made = await create('namespaces', 'one', {
      metadata: { labels: { z: '1', a: '2', 'kubernetes.io/metadata.name': 'other' } },
      spec: { finalizers: ['test.example/more'] },
      status: { phase: 'Terminating' },
    });
    expect(JSON.stringify(made.metadata.labels)).toBe('{"a":"2","kubernetes.io/metadata.name":"one","z":"1"}');
    expect(made.spec).toEqual({ finalizers: ['test.example/more', 'kubernetes'] });
    expect(made.status).toEqual({ phase: 'Active' });
    expect(Object.keys(made)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
    const owned = JSON.stringify(made.metadata.managedFields);
    expect(owned).toContain('f:kubernetes.io/metadata.name');
    expect(owned).toContain('f:finalizers');
  });

  it('have a finalizer without a field manager if no client sent one', async () => {
    const { create, peek } = await openPlaneTestEnv();
    for (const made of [await create('namespaces', 'one'), peek('namespaces', 'default')]) {
      const owned = JSON.stringify(made?.metadata.managedFields);
      expect(owned).toContain('f:kubernetes.io/metadata.name');
      expect(owned).not.toContain('f:finalizers');
    }
  });

  it('accept finalizers with a domain and standard ones, with the error messages of Kubernetes', async () => {
    const { create } = await openPlaneTestEnv();
    expect((await rejectionStatus(create('namespaces', 'one', { spec: { finalizers: ['mine'] } }))).message).toBe(
      'Namespace "one" is invalid: spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    );
  });

  it('keep their label and finalizers in an update, while finalize writes the finalizers', async () => {
    const env = await openPlaneTestEnv();
    const made = await env.create('namespaces', 'one');
    const { verbs } = env.kind('namespaces');
    const changed = { ...made, metadata: { ...made.metadata, labels: { a: 'b' } }, spec: {} } as KubeObject;
    const updated = await verbs.update(testClientContext(), 'one', changed, testWriteOptions);
    expect(updated.object.spec).toEqual({ finalizers: ['kubernetes'] });
    expect(updated.object.metadata.labels).toEqual({ a: 'b', 'kubernetes.io/metadata.name': 'one' });
    const more = { ...updated.object, spec: { finalizers: ['kubernetes', 'test.example/x'] } } as KubeObject;
    expect((await finalizeOf(env)(more)).object.spec).toEqual({ finalizers: ['kubernetes', 'test.example/x'] });
    const wrong = { ...updated.object, metadata: { name: 'one' }, spec: { finalizers: ['kubernetes', 'x'] } };
    expect((await rejectionStatus(finalizeOf(env)(wrong as KubeObject))).message).toBe(
      'Namespace "one" is invalid: spec.finalizers[1]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    );
  });

  it('have the phase that follows from their deletion', async () => {
    const { create, kind } = await openPlaneTestEnv();
    const made = await create('namespaces', 'one');
    const wrong = { ...made, status: { phase: 'Terminating' } } as KubeObject;
    const refused = await rejectionStatus(
      kind('namespaces').status?.update(testClientContext(), 'one', wrong, testWriteOptions) ?? Promise.resolve(),
    );
    const empty = await kind('namespaces').status?.update(
      testClientContext(),
      'one',
      { ...made, status: {} },
      testWriteOptions,
    );
    expect(empty?.object.status).toEqual({ phase: 'Active' });
    expect(refused.message).toBe(
      'Namespace "one" is invalid: status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    );
  });

  it('keep labels and annotations that are written through the status (STATUS-02, STATUS-06)', async () => {
    const { create, kind } = await openPlaneTestEnv();
    const made = await create('namespaces', 'one');
    const { status } = kind('namespaces');
    const write = (metadata: KubeObject['metadata']) => {
      const sent = { ...made, metadata: { name: 'one', ...metadata }, spec: {} } as KubeObject;
      return status?.update(testClientContext(), 'one', sent, { ...testWriteOptions, fieldManager: 'observer' });
    };
    const written = await write({ labels: { a: 'b' }, annotations: { c: 'd' } });
    expect(written?.object).toMatchObject({
      metadata: { labels: { a: 'b', 'kubernetes.io/metadata.name': 'one' }, annotations: { c: 'd' } },
      spec: { finalizers: ['kubernetes'] },
    });
    const entry = written?.object.metadata.managedFields?.find(({ manager }) => manager === 'observer');
    expect(entry).toMatchObject({
      subresource: 'status',
      fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:c': {} }, 'f:labels': { 'f:a': {} } } },
    });
    const refused = await rejectionStatus(write({ labels: { 'a b': 'c' } }) ?? Promise.resolve());
    expect(refused).toMatchObject({ code: 422, details: { causes: [{ field: 'metadata.labels' }] } });
  });

  it('have no deletecollection, and allow only PUT for finalize (REQ-12)', async () => {
    const { plane } = await openPlaneTestEnv();
    const mounted = plane.find('', 'v1', 'namespaces');
    expect(Object.keys(mounted?.verbs ?? {}).sort()).toEqual(
      ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'].sort(),
    );
    expect(Object.keys(mounted?.subresources.finalize?.verbs ?? {})).toEqual(['update']);
    expect(Object.keys(mounted?.subresources.status?.verbs ?? {})).toEqual(['get', 'update', 'patch']);
  });
});

describe('a namespace that is deleted', () => {
  it('is Terminating, has no grace period, and refuses new objects (CREATE-20)', async () => {
    const env = await openPlaneTestEnv({ withoutMaintenance: true });
    await env.plane.add([addableTestKind(widgets)]);
    await env.create('namespaces', 'one');
    const deleted = await env.kind('namespaces').verbs.delete(testClientContext(), 'one', testDeleteOptions());
    if (!('pending' in deleted)) throw new Error('the namespace is gone at once');
    expect(deleted.pending.object.status).toEqual({ phase: 'Terminating' });
    expect(deleted.pending.object.metadata.deletionTimestamp).toBeDefined();
    expect(deleted.pending.object.metadata.deletionGracePeriodSeconds).toBeUndefined();
    const again = testDeleteOptions({ propagationPolicy: 'Foreground' });
    expect(await env.kind('namespaces').verbs.delete(testClientContext(), 'one', again)).toMatchObject({
      pending: { object: { metadata: { resourceVersion: deleted.pending.object.metadata.resourceVersion } } },
    });
    expect(await rejectionStatus(env.create(key, 'late', {}, 'one'))).toMatchObject({
      code: 403,
      message:
        'widgets.test.example "late" is forbidden: unable to create new content in namespace one because it is being terminated',
    });
  });

  it('is removed with its contents, also of kinds that were added to the open plane', async () => {
    const env = await openPlaneTestEnv({ parts: [{ resources: [testKind('things', 'Thing')], mount: () => [] }] });
    await env.plane.add([addableTestKind(widgets)]);
    await env.create('namespaces', 'one');
    for (const name of ['a', 'b', 'c']) {
      await env.create(key, name, {}, 'one');
      await env.create('things.test.example', name, {}, 'one');
    }
    await env.create(key, 'stays', {}, 'default');
    await env.remove('namespaces', 'one');
    expect(env.peek('namespaces', 'one')).toBeUndefined();
    expect(
      env
        .kind(key)
        .peekAll()
        .map(({ object }) => object.metadata.name),
    ).toEqual(['stays']);
    expect(env.kind('things.test.example').count()).toBe(0);
    expect((await env.store.list(reconcileRange)).entries).toEqual([]);
  });

  it('is removed in several passes if it has many objects, so that namespaces of other planes are deleted in between', async () => {
    const env = await openPlaneTestEnv();
    await env.plane.add([addableTestKind(widgets), addableTestKind(testKind('things', 'Thing'))]);
    await env.create('namespaces', 'one');
    for (let number = 0; number < 300; number++) {
      const [name, metadata] =
        number < 10 ? [`held-${number}`, { finalizers: ['test.example/hold'] }] : [`w${number}`, {}];
      await env.create(key, name, { metadata }, 'one');
      await env.create('things.test.example', `t${number}`, {}, 'one');
    }
    const namespaces = env.kind('namespaces');
    await env.maintenance.stop();
    await namespaces.verbs.delete(testClientContext(), 'one', testDeleteOptions());
    const countAfterPass = async () => {
      const retryAfterMs = await namespaces.resource.reconcile?.('', 'one');
      return [retryAfterMs, env.kind(key).count('one') + env.kind('things.test.example').count('one')];
    };
    expect(await countAfterPass()).toEqual([0, 600 - 256 + 10]);
    expect(await countAfterPass()).toEqual([0, 600 - 512 + 10]);
    const [, left] = await countAfterPass();
    expect(left).toBe(10);
    expect(conditionsOf(env.peek('namespaces', 'one'))['NamespaceContentRemaining=True']).toContain(
      'widgets.test.example has 10 resource instances',
    );
  });

  it('waits for finalizers, reports what is left, and is removed with the last object without polling', async () => {
    const env = await openPlaneTestEnv();
    await env.plane.add([addableTestKind(widgets)]);
    await env.create('namespaces', 'one');
    await env.create(key, 'held', { metadata: { finalizers: ['test.example/hold'] } }, 'one');
    await env.create(key, 'held-too', { metadata: { finalizers: ['test.example/hold', 'test.example/x'] } }, 'one');
    await env.create(key, 'free', {}, 'one');
    await env.remove('namespaces', 'one');
    expect(conditionsOf(env.peek('namespaces', 'one'))).toEqual({
      'NamespaceDeletionDiscoveryFailure=False': 'ResourcesDiscovered: All resources successfully discovered',
      'NamespaceDeletionGroupVersionParsingFailure=False':
        'ParsedGroupVersions: All legacy kube types successfully parsed',
      'NamespaceDeletionContentFailure=False':
        'ContentDeleted: All content successfully deleted, may be waiting on finalization',
      'NamespaceContentRemaining=True':
        'SomeResourcesRemain: Some resources are remaining: widgets.test.example has 2 resource instances',
      'NamespaceFinalizersRemaining=True':
        'SomeFinalizersRemain: Some content in the namespace has finalizers remaining: test.example/hold in 2 resource instances, test.example/x in 1 resource instances',
    });
    env.clock.advance(1_000);
    await env.maintenance.idle();
    // If other processes write to the store, the row for another pass remains.
    expect((await env.store.list(reconcileRange)).entries).toHaveLength(env.store.isShared ? 1 : 0);
    const release = (name: string) =>
      env
        .kind(key)
        .verbs.patch(
          testClientContext('one'),
          name,
          { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] },
          { ...testWriteOptions, force: false },
        );
    await release('held');
    await env.maintenance.idle();
    env.clock.advance(1_000);
    await env.maintenance.idle();
    expect(conditionsOf(env.peek('namespaces', 'one'))['NamespaceContentRemaining=True']).toContain(
      'has 1 resource instances',
    );
    await release('held-too');
    await env.maintenance.idle();
    env.clock.advance(1_000);
    await env.maintenance.idle();
    expect(env.peek('namespaces', 'one')).toBeUndefined();
  });

  it('stays until all finalizers are removed, in spec and metadata', async () => {
    const env = await openPlaneTestEnv();
    await env.create('namespaces', 'one', {
      metadata: { finalizers: ['test.example/meta'] },
      spec: { finalizers: ['test.example/spec'] },
    });
    await env.remove('namespaces', 'one');
    const left = env.peek('namespaces', 'one');
    expect(left?.spec).toEqual({ finalizers: ['test.example/spec'] });
    const emptied = await finalizeOf(env)({ ...left, spec: {} } as KubeObject);
    expect(emptied.object.spec).toEqual({});
    expect(env.peek('namespaces', 'one')).toBeDefined();
    await env
      .kind('namespaces')
      .verbs.patch(
        testClientContext(),
        'one',
        { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] },
        { ...testWriteOptions, force: false },
      );
    expect(env.peek('namespaces', 'one')).toBeUndefined();
  });

  it('is removed by the next process if this one ends during the deletion', async () => {
    const first = await openPlaneTestEnv({ withoutMaintenance: true });
    await first.create('namespaces', 'one');
    await first.remove('namespaces', 'one');
    first.plane.close();
    const { store, clock } = first;
    const next = await openPlaneTestEnv({ store, clock });
    await next.maintenance.idle();
    expect(next.peek('namespaces', 'one')).toBeUndefined();
    expect((await store.list(reconcileRange)).entries).toEqual([]);
  });

  it('reports what could not be deleted, and retries', async () => {
    let isBroken = true;
    const stubborn = testKind('stubborns', 'Stubborn', {
      isDeletionBlocked() {
        if (isBroken) throw new Error('the disk is on fire');
        return false;
      },
    });
    const env = await openPlaneTestEnv();
    await env.plane.add([addableTestKind(stubborn)]);
    await env.create('namespaces', 'one');
    await env.create('stubborns.test.example', 'it', {}, 'one');
    await env.remove('namespaces', 'one');
    expect(conditionsOf(env.peek('namespaces', 'one'))['NamespaceDeletionContentFailure=True']).toBe(
      'ContentDeletionFailed: Failed to delete all resource types, 1 remaining: the disk is on fire',
    );
    isBroken = false;
    for (let round = 0; round < 3; round++) {
      env.clock.advance(60_000);
      await env.maintenance.idle();
    }
    expect(env.peek('namespaces', 'one')).toBeUndefined();
  });
});
