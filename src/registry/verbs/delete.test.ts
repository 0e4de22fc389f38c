import { describe, expect, it } from 'vitest';
import { forbidden } from '../../api/status.ts';
import type { KindStore } from '../kind-store.ts';
import { type GcWork, gcRange } from '../rows/rows.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  rejectionStatus,
  serverContext,
  testDeleteOptions,
  testWriteOptions,
} from '../widgets.fixture.ts';
import { OwnerTracker } from '../write/owner-tracker.ts';

const held = { metadata: { finalizers: ['x.example/f'] } };

async function withWidget(change: Parameters<typeof openWidgets>[0] = {}, sent: Parameters<typeof newWidget>[1] = {}) {
  const bench = await openWidgets(change);
  const { object } = await bench.kind.verbs.create(callerContext(), newWidget('w', sent), testWriteOptions);
  return { ...bench, object };
}

async function pending(kind: KindStore, change: Parameters<typeof testDeleteOptions>[0] = {}) {
  const deleted = await kind.verbs.delete(callerContext(), 'w', testDeleteOptions(change));
  if (!('pending' in deleted)) throw new Error('expected the object to stay');
  return deleted.pending.object;
}

describe('delete', () => {
  it('an object that nothing blocks is removed at once, and the response names it (DELETE-06, DELETE-20)', async () => {
    const { kind, object } = await withWidget();
    expect(await kind.verbs.delete(callerContext(), 'w', testDeleteOptions())).toEqual({
      gone: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'w', group: 'test.example', kind: 'widgets', uid: object.metadata.uid },
      },
    });
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('an object of a kind with returnsDeleted is removed at once, and the response is the object', async () => {
    const { kind } = await openWidgets({ gracePeriods: false, returnsDeleted: true });
    await kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions);
    const dryRun = await kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ dryRun: true }));
    const deleted = await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    for (const result of [dryRun, deleted])
      expect(result).toMatchObject({ pending: { object: { metadata: { name: 'w' } } }, isRemoved: true });
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('the same garbage collector work is left whether or not the fast path applies (OWNER-05)', async () => {
    const owners = new OwnerTracker();
    const { kind, store } = await openWidgets(
      { gracePeriods: false },
      { planeCallbacks: { namespaceState: () => 'active', resolveOwner: () => undefined, ownerTracker: owners } },
    );
    const make = async (name: string, sent: Parameters<typeof newWidget>[1] = {}) =>
      (await kind.verbs.create(callerContext(), newWidget(name, sent), testWriteOptions)).object.metadata.uid ?? '';
    const remove = async (name: string) => {
      const deleted = await kind.verbs.delete(callerContext(), name, testDeleteOptions());
      expect(deleted).toMatchObject({ gone: { details: { name } } });
      expect(kind.peek('a', name)).toBeUndefined();
      return (await store.list(gcRange)).entries.map(({ value }) => (JSON.parse(value) as GcWork).name);
    };
    await make('first');
    await make('second');
    expect(await remove('first')).toEqual([]);
    expect(owners.hasNoOwners).toBe(true);
    expect(await remove('second')).toEqual([]);
    const uid = await make('owner');
    const reference = { apiVersion: 'test.example/v1', kind: 'Widget', name: 'owner', uid };
    await make('dependent', { metadata: { ownerReferences: [reference] } });
    await store.removePrefix({ slice: 'upkeep', prefix: ['gc'] });
    expect(await remove('owner')).toEqual(['owner']);
  });

  it('an object with finalizers is marked as terminating (DELETE-07)', async () => {
    const { kind } = await withWidget({}, held);
    expect((await pending(kind)).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
      resourceVersion: '3',
    });
  });

  it('a second delete changes nothing (DELETE-09)', async () => {
    const { kind, clock } = await withWidget({}, held);
    const first = await pending(kind);
    clock.advance(5_000);
    expect(await pending(kind)).toBe(first);
    expect(await pending(kind, { propagationPolicy: 'Background' })).toBe(first);
    const foreground = await pending(kind, { propagationPolicy: 'Foreground' });
    expect(foreground.metadata).toMatchObject({
      finalizers: ['x.example/f', 'foregroundDeletion'],
      deletionTimestamp: first.metadata.deletionTimestamp,
      generation: 2,
      resourceVersion: '4',
    });
    expect(await pending(kind, { propagationPolicy: 'Foreground' })).toBe(foreground);
  });

  it('a delete of an object that does not exist gets 404 (DELETE-10)', async () => {
    const { kind } = await openWidgets();
    expect(await rejectionStatus(kind.verbs.delete(callerContext(), 'w', testDeleteOptions()))).toMatchObject({
      code: 404,
      message: 'widgets.test.example "w" not found',
    });
  });

  it('a failed precondition is a conflict that names the Kind (DELETE-11, DELETE-12)', async () => {
    const { kind, object } = await withWidget();
    const refused = (preconditions: { uid?: string; resourceVersion?: string }) =>
      rejectionStatus(kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ preconditions })));
    expect(await refused({ uid: 'other' })).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on Widget.test.example "w": the UID in the precondition (other) does not match the UID in record (${object.metadata.uid}). The object might have been deleted and then recreated`,
      details: { kind: 'Widget' },
    });
    expect(await refused({ resourceVersion: '1' })).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on Widget.test.example "w": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified',
    });
    const { uid = '', resourceVersion = '' } = object.metadata;
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ preconditions: { uid, resourceVersion } }));
  });

  it('a delete sets the finalizer of its propagation policy (DELETE-13, DELETE-14, DELETE-15, DELETE-16, DELETE-17)', async () => {
    const foreground = await withWidget();
    expect((await pending(foreground.kind, { propagationPolicy: 'Foreground' })).metadata.finalizers).toEqual([
      'foregroundDeletion',
    ]);
    expect((await pending(foreground.kind, { propagationPolicy: 'Orphan' })).metadata.finalizers).toEqual(['orphan']);
    expect((await pending(foreground.kind)).metadata.finalizers).toEqual(['orphan']);
    const gone = await foreground.kind.verbs.delete(
      callerContext(),
      'w',
      testDeleteOptions({ propagationPolicy: 'Background' }),
    );
    expect(gone).toHaveProperty('gone');
    const chosen = await withWidget({}, { metadata: { finalizers: ['orphan'] } });
    expect((await pending(chosen.kind)).metadata.finalizers).toEqual(['orphan']);
  });

  it('removing the last finalizer removes the object even if the clock was set back since', async () => {
    const { kind, clock } = await withWidget({}, held);
    const dying = await pending(kind);
    clock.setWall(-3_600_000);
    const released = { ...dying, metadata: { ...dying.metadata, finalizers: [] } };
    await kind.verbs.update(callerContext(), 'w', released, testWriteOptions);
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('a kind with grace periods waits for the end of the grace period (§2.1 of the completions)', async () => {
    const { kind, clock } = await withWidget();
    expect((await pending(kind, { gracePeriodSeconds: 30 })).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    clock.advance(29_999);
    await kind.handleDeadline('a', 'w');
    expect(kind.peek('a', 'w')).toBeDefined();
    clock.advance(1);
    await kind.handleDeadline('a', 'w');
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('a grace period is never shorter than requested', async () => {
    const { kind, clock } = await withWidget();
    clock.advance(400);
    expect((await pending(kind, { gracePeriodSeconds: 1 })).metadata.deletionTimestamp).toBe('2026-01-01T00:00:02Z');
  });

  it('a second delete can only shorten the grace period (§2.1 of the completions)', async () => {
    const { kind, clock } = await withWidget();
    await pending(kind, { gracePeriodSeconds: 60 });
    clock.advance(10_000);
    expect((await pending(kind, { gracePeriodSeconds: 60 })).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:01:00Z',
      deletionGracePeriodSeconds: 60,
    });
    expect((await pending(kind, { gracePeriodSeconds: 20 })).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 20,
      generation: 2,
    });
    expect(await kind.verbs.delete(callerContext(), 'w', testDeleteOptions())).toHaveProperty('gone');
  });

  it('a kind without grace periods ignores them; a negative grace period is one second (DELETE-18)', async () => {
    const plain = await withWidget({ gracePeriods: false });
    expect(
      await plain.kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ gracePeriodSeconds: 30 })),
    ).toHaveProperty('gone');
    const { kind } = await withWidget();
    expect((await pending(kind, { gracePeriodSeconds: -1 })).metadata.deletionGracePeriodSeconds).toBe(1);
  });

  it('a dry run gets the same response (DELETE-19)', async () => {
    const { kind } = await withWidget();
    expect(await kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ dryRun: true }))).toHaveProperty('gone');
    const tried = await pending(kind, { dryRun: true, propagationPolicy: 'Orphan' });
    expect(tried.metadata).toMatchObject({ finalizers: ['orphan'], resourceVersion: '2' });
    expect(kind.peek('a', 'w')?.object.metadata.deletionTimestamp).toBeUndefined();
  });

  it('the delete guard of the kind applies to clients, but not to the server itself', async () => {
    const { kind } = await withWidget({
      guardDelete() {
        throw forbidden({ group: 'test.example', resource: 'widgets' }, 'w', 'it is guarded');
      },
    });
    expect(await rejectionStatus(kind.verbs.delete(callerContext(), 'w', testDeleteOptions()))).toMatchObject({
      code: 403,
    });
    expect(await kind.verbs.delete(serverContext(), 'w', testDeleteOptions())).toHaveProperty('gone');
  });

  it('one of several concurrent deletes removes the object', async () => {
    const { kind } = await withWidget();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => kind.verbs.delete(callerContext(), 'w', testDeleteOptions())),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });
});
