import { expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { reconcileRange } from '../../registry/rows/rows.ts';
import { rejectionStatus, storeWithOverrides } from '../../registry/widgets.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { twoReplicas } from '../../store/replicas.fixture.ts';
import type { RevisionCheck, Store, Transaction } from '../../store/store.ts';
import { tasksInPlanes } from '../maintenance/maintenance-task.ts';
import { CustomTestEnv, shipDefinition } from './custom.fixture.ts';
import { definitionsResourceKey } from './definitions-resource.ts';

const ships = 'ships.sea.example';
const boats = 'boats.sea.example';
/** A definition that requests the same kind as `shipDefinition()`. */
const boatDefinition = shipDefinition({}, { names: { plural: 'boats', kind: 'Ship' } }, 'boats');

interface ReplicaOptions {
  /** Wraps the store of the delayed replica. */
  readonly wrapDelayed?: (store: Store) => Store;
  /** Runs no maintenance at all. */
  readonly withoutMaintenance?: boolean;
}

/** Opens a plane on two replicas. Only `current` runs maintenance. */
async function openPlaneReplicas({ wrapDelayed = (store) => store, withoutMaintenance }: ReplicaOptions = {}) {
  const clock = new ManualClock();
  const replicas = await twoReplicas(
    (store, index) =>
      index === 0
        ? CustomTestEnv.open({ store, clock, withoutMaintenance: withoutMaintenance === true })
        : CustomTestEnv.open({ store: wrapDelayed(store), clock, withoutMaintenance: true }),
    openMemoryStore({ clock }),
  );
  return { ...replicas, clock };
}

async function runMaintenance({ maintenance }: CustomTestEnv): Promise<void> {
  maintenance.wake();
  await maintenance.idle();
}

const isServed = ({ plane }: CustomTestEnv, plural: string) => plane.find('sea.example', 'v1', plural) !== undefined;

/** Returns a store that delays the status write of a definition until `release` is called. */
function storeWithHeldStatus(store: Store) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let onHeld = () => {};
  const held = new Promise<void>((resolve) => {
    onHeld = resolve;
  });
  const isStatusWrite = ({ writes }: Transaction) =>
    writes.some(({ key, value }) => key.segments[1] === definitionsResourceKey && value?.includes('NamesAccepted'));
  const wrapped = storeWithOverrides(store, {
    async transact(transaction) {
      if (isStatusWrite(transaction)) {
        onHeld();
        await released;
      }
      return store.transact(transaction);
    },
  });
  return { store: wrapped, held, release };
}

it('two replicas never accept the same kind for two definitions', async () => {
  let status: ReturnType<typeof storeWithHeldStatus> | undefined;
  const { current, delayed, gate } = await openPlaneReplicas({
    withoutMaintenance: true,
    wrapDelayed(store) {
      status = storeWithHeldStatus(store);
      return status.store;
    },
  });
  gate.hold();
  const defining = delayed.define(boatDefinition);
  await status?.held;
  await current.define(shipDefinition());
  status?.release();
  await defining;
  gate.open();
  expect(current.conditions(ships)[0]).toBe('NamesAccepted=True NoConflicts');
  expect(current.conditions(boats)[0]).toBe('NamesAccepted=False ListKindConflict');
  for (const env of [current, delayed]) {
    await env.plane.settled?.();
    expect([isServed(env, 'ships'), isServed(env, 'boats')]).toEqual([true, false]);
  }
});

it('maintenance repeats for a definition that waits for a name, because another replica may release the name', async () => {
  const { current, clock, shared } = await openPlaneReplicas();
  await current.define(shipDefinition());
  await current.define(boatDefinition);
  await current.maintenance.idle();
  expect((await shared.list(reconcileRange)).entries.map(({ key }) => key.segments[4])).toEqual([boats]);
  await current.undefine();
  clock.advance(30_000);
  await runMaintenance(current);
  expect(current.conditions(boats)[0]).toBe('NamesAccepted=True NoConflicts');
});

it('a replica that does not know the removal of a definition creates no object of its kind', async () => {
  const { current, delayed, gate } = await openPlaneReplicas();
  await current.define(shipDefinition());
  await delayed.plane.settled?.();
  await delayed.ship('known');
  gate.hold();
  await current.undefine();
  expect(current.definition()).toBeUndefined();
  expect(isServed(delayed, 'ships')).toBe(true);
  // The create is refused (403) or must be repeated (503), depending on how much of the removal this replica has
  // noticed.
  expect([403, 503]).toContain((await rejectionStatus(delayed.ship('late'))).code);
  expect(await current.rows()).toBe(0);
  await delayed.plane.settled?.();
  expect(isServed(delayed, 'ships')).toBe(false);
});

it('a replica that does not know the deletion of a definition creates no object of its kind', async () => {
  const { current, delayed, gate } = await openPlaneReplicas();
  await current.define(shipDefinition());
  await delayed.plane.settled?.();
  await current.ship('kept', {}, 'v1', { finalizers: ['sea.example/wait'] });
  gate.hold();
  await current.undefine();
  expect(current.definition()?.metadata.deletionTimestamp).toBeDefined();
  expect(await rejectionStatus(delayed.ship('late'))).toMatchObject({
    code: 403,
    message: expect.stringContaining('create not allowed while custom resource definition is terminating'),
  });
  expect(await current.rows()).toBe(1);
});

it('a change of the definition by another replica only delays a create', async () => {
  const { current, delayed, gate } = await openPlaneReplicas();
  await current.define(shipDefinition());
  await delayed.plane.settled?.();
  gate.hold();
  await current.redefine(ships, (spec) => {
    spec.names = { ...(spec.names as object), shortNames: ['sh'] };
  });
  await delayed.ship('one');
  expect(await current.rows()).toBe(1);
});

it('only maintenance deletes the objects of a deleted definition', async () => {
  const { current, delayed } = await openPlaneReplicas();
  await current.define(shipDefinition());
  await delayed.plane.settled?.();
  await current.ship('one');
  await delayed.undefine();
  for (const env of [current, delayed]) await env.plane.settled?.();
  expect(await current.rows()).toBe(1);
  await runMaintenance(current);
  expect(await current.rows()).toBe(0);
  expect(current.definition()).toBeUndefined();
});

it('the removal of the last object by another replica completes the deletion of its definition at once', async () => {
  const { current, delayed } = await openPlaneReplicas();
  await current.define(shipDefinition());
  await current.ship('last', {}, 'v1', { finalizers: ['sea.example/wait'] });
  await current.undefine();
  await delayed.plane.settled?.();
  expect(current.definition()).toBeDefined();
  await delayed.patchShip('last', { metadata: { finalizers: null } });
  await runMaintenance(current);
  expect(current.definition()).toBeUndefined();
});

it('maintenance writes nothing to definitions after another replica has taken over', async () => {
  const { current, delayed, shared } = await openPlaneReplicas();
  const key = { slice: 'replicas', segments: ['members', 'a'] };
  const [revision] = await shared.transact({ writes: [{ key, value: '' }] });
  const fence: RevisionCheck = { key, revision };
  await current.define(shipDefinition());
  await current.ship('one');
  await delayed.undefine();
  await shared.transact({ writes: [{ key, value: undefined }] });
  const runTask = tasksInPlanes(current.store, async () => current.plane);
  const object = { resource: definitionsResourceKey, namespace: '', name: ships };
  expect(await rejectionStatus(runTask('plane', { type: 'reconcile', object }, fence))).toMatchObject({ code: 503 });
  expect(await current.rows()).toBe(1);
  expect(current.conditions()).toContain('Terminating=True InstanceDeletionPending');
});
