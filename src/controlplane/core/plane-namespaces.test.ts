import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { pendingRange } from '../../registry/rows.ts';
import { refusal } from '../../registry/widgets.fixture.ts';
import { addedKind, client, deleting, openPlaneBench, type PlaneBench, plainKind, writing } from '../plane.fixture.ts';

const widgets = plainKind('widgets', 'Widget');
const key = 'widgets.test.example';

function finalizeOf({ plane }: PlaneBench) {
  const update = plane.find('', 'v1', 'namespaces')?.subresources.finalize?.verbs.update;
  if (update === undefined) throw new Error('namespaces have no finalize');
  return (object: KubeObject) => update(client(), object.metadata.name ?? '', object, writing);
}

function conditionsOf(object: KubeObject | undefined): Record<string, string> {
  const conditions = ((object?.status as JsonObject | undefined)?.conditions ?? []) as JsonObject[];
  return Object.fromEntries(conditions.map((one) => [`${one.type}=${one.status}`, `${one.reason}: ${one.message}`]));
}

describe('namespaces of a plane', () => {
  it('are there from birth: default, kube-public and kube-system', async () => {
    const { kind } = await openPlaneBench();
    const all = kind('namespaces').peekAll();
    expect(all.map(({ object }) => object.metadata.name)).toEqual(['default', 'kube-public', 'kube-system']);
    expect(all[0]?.object).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('that are there from birth are not deleted (CREATE-22)', async () => {
    const { kind } = await openPlaneBench();
    for (const name of ['default', 'kube-public', 'kube-system']) {
      expect(await refusal(kind('namespaces').verbs.delete(client(), name, deleting()))).toMatchObject({
        code: 403,
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      });
    }
  });

  it('get phase, finalizer and name label when they are created, whatever was sent', async () => {
    const { create } = await openPlaneBench();
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

  it('have a finalizer that nobody owns where nobody sent one', async () => {
    const { create, peek } = await openPlaneBench();
    for (const made of [await create('namespaces', 'one'), peek('namespaces', 'default')]) {
      const owned = JSON.stringify(made?.metadata.managedFields);
      expect(owned).toContain('f:kubernetes.io/metadata.name');
      expect(owned).not.toContain('f:finalizers');
    }
  });

  it('take finalizers with a domain or of the standard ones, and say so in Kubernetes words', async () => {
    const { create } = await openPlaneBench();
    expect((await refusal(create('namespaces', 'one', { spec: { finalizers: ['mine'] } }))).message).toBe(
      'Namespace "one" is invalid: spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    );
  });

  it('keep their label and finalizers in an update; finalize writes the finalizers', async () => {
    const bench = await openPlaneBench();
    const made = await bench.create('namespaces', 'one');
    const { verbs } = bench.kind('namespaces');
    const changed = { ...made, metadata: { ...made.metadata, labels: { a: 'b' } }, spec: {} } as KubeObject;
    const updated = await verbs.update(client(), 'one', changed, writing);
    expect(updated.object.spec).toEqual({ finalizers: ['kubernetes'] });
    expect(updated.object.metadata.labels).toEqual({ a: 'b', 'kubernetes.io/metadata.name': 'one' });
    const more = { ...updated.object, spec: { finalizers: ['kubernetes', 'test.example/x'] } } as KubeObject;
    expect((await finalizeOf(bench)(more)).object.spec).toEqual({ finalizers: ['kubernetes', 'test.example/x'] });
    const wrong = { ...updated.object, metadata: { name: 'one' }, spec: { finalizers: ['kubernetes', 'x'] } };
    expect((await refusal(finalizeOf(bench)(wrong as KubeObject))).message).toBe(
      'Namespace "one" is invalid: spec.finalizers[1]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    );
  });

  it('have the phase that follows from their deletion', async () => {
    const { create, kind } = await openPlaneBench();
    const made = await create('namespaces', 'one');
    const wrong = { ...made, status: { phase: 'Terminating' } } as KubeObject;
    const refused = await refusal(
      kind('namespaces').status?.update(client(), 'one', wrong, writing) ?? Promise.resolve(),
    );
    const empty = await kind('namespaces').status?.update(client(), 'one', { ...made, status: {} }, writing);
    expect(empty?.object.status).toEqual({ phase: 'Active' });
    expect(refused.message).toBe(
      'Namespace "one" is invalid: status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    );
  });

  it('cannot be deleted together, and have finalize for PUT alone (REQ-12)', async () => {
    const { plane } = await openPlaneBench();
    const mounted = plane.find('', 'v1', 'namespaces');
    expect(Object.keys(mounted?.verbs ?? {}).sort()).toEqual(
      ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'].sort(),
    );
    expect(Object.keys(mounted?.subresources.finalize?.verbs ?? {})).toEqual(['update']);
    expect(Object.keys(mounted?.subresources.status?.verbs ?? {})).toEqual(['get', 'update', 'patch']);
  });
});

describe('a namespace that is deleted', () => {
  it('is Terminating, without a grace period, and takes nothing new (CREATE-20)', async () => {
    const bench = await openPlaneBench({ withoutUpkeep: true });
    await bench.plane.add([addedKind(widgets)]);
    await bench.create('namespaces', 'one');
    const deleted = await bench.kind('namespaces').verbs.delete(client(), 'one', deleting());
    if (!('pending' in deleted)) throw new Error('the namespace is gone at once');
    expect(deleted.pending.object.status).toEqual({ phase: 'Terminating' });
    expect(deleted.pending.object.metadata.deletionTimestamp).toBeDefined();
    expect(deleted.pending.object.metadata.deletionGracePeriodSeconds).toBeUndefined();
    const again = deleting({ propagationPolicy: 'Foreground' });
    expect(await bench.kind('namespaces').verbs.delete(client(), 'one', again)).toMatchObject({
      pending: { object: { metadata: { resourceVersion: deleted.pending.object.metadata.resourceVersion } } },
    });
    expect(await refusal(bench.create(key, 'late', {}, 'one'))).toMatchObject({
      code: 403,
      message:
        'widgets.test.example "late" is forbidden: unable to create new content in namespace one because it is being terminated',
    });
  });

  it('goes with its contents, of kinds that were added while the plane was open too', async () => {
    const bench = await openPlaneBench({ parts: [{ resources: [plainKind('things', 'Thing')], mount: () => [] }] });
    await bench.plane.add([addedKind(widgets)]);
    await bench.create('namespaces', 'one');
    for (const name of ['a', 'b', 'c']) {
      await bench.create(key, name, {}, 'one');
      await bench.create('things.test.example', name, {}, 'one');
    }
    await bench.create(key, 'stays', {}, 'default');
    await bench.remove('namespaces', 'one');
    expect(bench.peek('namespaces', 'one')).toBeUndefined();
    expect(
      bench
        .kind(key)
        .peekAll()
        .map(({ object }) => object.metadata.name),
    ).toEqual(['stays']);
    expect(bench.kind('things.test.example').count()).toBe(0);
    expect((await bench.store.list(pendingRange)).entries).toEqual([]);
  });

  it('waits for finalizers, says what is left, and goes with the last of it without being looked at in between', async () => {
    const bench = await openPlaneBench();
    await bench.plane.add([addedKind(widgets)]);
    await bench.create('namespaces', 'one');
    await bench.create(key, 'held', { metadata: { finalizers: ['test.example/hold'] } }, 'one');
    await bench.create(key, 'held-too', { metadata: { finalizers: ['test.example/hold', 'test.example/x'] } }, 'one');
    await bench.create(key, 'free', {}, 'one');
    await bench.remove('namespaces', 'one');
    expect(conditionsOf(bench.peek('namespaces', 'one'))).toEqual({
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
    bench.clock.advance(1_000);
    await bench.upkeep.idle();
    expect((await bench.store.list(pendingRange)).entries).toEqual([]);
    const release = (name: string) =>
      bench
        .kind(key)
        .verbs.patch(
          client('one'),
          name,
          { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] },
          { ...writing, force: false },
        );
    await release('held');
    await bench.upkeep.idle();
    bench.clock.advance(1_000);
    await bench.upkeep.idle();
    expect(conditionsOf(bench.peek('namespaces', 'one'))['NamespaceContentRemaining=True']).toContain(
      'has 1 resource instances',
    );
    await release('held-too');
    await bench.upkeep.idle();
    bench.clock.advance(1_000);
    await bench.upkeep.idle();
    expect(bench.peek('namespaces', 'one')).toBeUndefined();
  });

  it('is not gone before everybody has taken their finalizer off, in spec or metadata', async () => {
    const bench = await openPlaneBench();
    await bench.create('namespaces', 'one', {
      metadata: { finalizers: ['test.example/meta'] },
      spec: { finalizers: ['test.example/spec'] },
    });
    await bench.remove('namespaces', 'one');
    const left = bench.peek('namespaces', 'one');
    expect(left?.spec).toEqual({ finalizers: ['test.example/spec'] });
    const emptied = await finalizeOf(bench)({ ...left, spec: {} } as KubeObject);
    expect(emptied.object.spec).toEqual({});
    expect(bench.peek('namespaces', 'one')).toBeDefined();
    await bench
      .kind('namespaces')
      .verbs.patch(
        client(),
        'one',
        { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] },
        { ...writing, force: false },
      );
    expect(bench.peek('namespaces', 'one')).toBeUndefined();
  });

  it('is finished by the next process where this one ended in the middle', async () => {
    const first = await openPlaneBench({ withoutUpkeep: true });
    await first.create('namespaces', 'one');
    await first.remove('namespaces', 'one');
    first.plane.close();
    const { store, clock } = first;
    const next = await openPlaneBench({ store, clock });
    await next.upkeep.idle();
    expect(next.peek('namespaces', 'one')).toBeUndefined();
    expect((await store.list(pendingRange)).entries).toEqual([]);
  });

  it('says what could not be deleted, and tries again', async () => {
    let isBroken = true;
    const stubborn = plainKind('stubborns', 'Stubborn', {
      isHeld() {
        if (isBroken) throw new Error('the disk is on fire');
        return false;
      },
    });
    const bench = await openPlaneBench();
    await bench.plane.add([addedKind(stubborn)]);
    await bench.create('namespaces', 'one');
    await bench.create('stubborns.test.example', 'it', {}, 'one');
    await bench.remove('namespaces', 'one');
    expect(conditionsOf(bench.peek('namespaces', 'one'))['NamespaceDeletionContentFailure=True']).toBe(
      'ContentDeletionFailed: Failed to delete all resource types, 1 remaining: the disk is on fire',
    );
    isBroken = false;
    for (let round = 0; round < 3; round++) {
      bench.clock.advance(60_000);
      await bench.upkeep.idle();
    }
    expect(bench.peek('namespaces', 'one')).toBeUndefined();
  });
});
