import { type JsonValue, textAt } from '@flotilla/json';
import { afterEach, expect, it } from 'vitest';
import { secretTypes, serviceAccountNameAnnotation } from '../../../api/core/secret.ts';
import { hostOwnerLabel } from '../../../api/naming.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { reconcileRange } from '../../../registry/rows/rows.ts';
import { openMemoryStore } from '../../../store/memory.ts';
import { twoReplicas } from '../../../store/replicas.fixture.ts';
import { tasksInPlanes } from '../../maintenance/maintenance-task.ts';
import { type CoreTestEnv, expectStatusError, openCoreTestEnv, testTokenKeys } from '../core.fixture.ts';

const opened: CoreTestEnv[] = [];
afterEach(async () => {
  for (const env of opened.splice(0)) await env.close();
});

/** Opens a plane on two replicas. Only `delayed` runs maintenance. */
async function openPlaneReplicas() {
  const [clock, keys] = [new ManualClock(), testTokenKeys()];
  const replicas = await twoReplicas(async (store, index) => {
    const env = await openCoreTestEnv({ store, clock, keys, withoutMaintenance: index === 0 });
    opened.push(env);
    return env;
  }, openMemoryStore({ clock }));
  return replicas;
}

/** Waits until all reactions to changes are complete, except reactions that are part of maintenance. */
async function reactions(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const tokenSecret = (name: string, account: string) => ({
  metadata: { name, annotations: { [serviceAccountNameAnnotation]: account } },
  type: secretTypes.serviceAccountToken,
});

const tokenOf = (env: CoreTestEnv, secret: string) =>
  textAt(env.peek('secrets', secret) as JsonValue | undefined, 'data', 'token');

it('only the replica that maintains the plane creates default accounts', async () => {
  const { current, delayed } = await openPlaneReplicas();
  await current.create('namespaces', { metadata: { name: 'fresh' } }, '');
  await reactions();
  expect(current.peek('serviceaccounts', 'default', 'fresh')).toBeUndefined();
  await delayed.runMaintenance();
  const before = current.peek('serviceaccounts', 'default', 'fresh')?.metadata.uid;
  expect(before).toBeDefined();
  await current.remove('serviceaccounts', 'default', 'fresh');
  await reactions();
  expect(current.peek('serviceaccounts', 'default', 'fresh')).toBeUndefined();
  await delayed.runMaintenance();
  const after = current.peek('serviceaccounts', 'default', 'fresh')?.metadata.uid;
  expect([undefined, before]).not.toContain(after);
});

it('the namespace of a virtual cluster causes no work', async () => {
  const { current, shared } = await openPlaneReplicas();
  const labels = { [hostOwnerLabel]: 'somebody' };
  await current.create('namespaces', { metadata: { name: 'hosted', labels } }, '');
  expect((await shared.list(reconcileRange)).entries).toEqual([]);
});

it('only the replica that maintains the plane writes tokens into secrets, and once', async () => {
  const { current, delayed, shared } = await openPlaneReplicas();
  await current.create('serviceaccounts', { metadata: { name: 'robot' } });
  await current.create('secrets', tokenSecret('its-token', 'robot'));
  await reactions();
  expect(tokenOf(current, 'its-token')).toBe('');
  await delayed.runMaintenance();
  const token = tokenOf(current, 'its-token');
  expect(token).not.toBe('');
  const { resourceVersion } = current.peek('secrets', 'its-token')?.metadata ?? {};
  await delayed.runMaintenance();
  expect(current.peek('secrets', 'its-token')?.metadata.resourceVersion).toBe(resourceVersion);
  expect((await shared.list(reconcileRange)).entries).toEqual([]);
});

it('the token secrets of a deleted account are deleted by the replica that maintains the plane', async () => {
  const { current, delayed } = await openPlaneReplicas();
  await current.create('serviceaccounts', { metadata: { name: 'robot' } });
  await current.create('secrets', tokenSecret('its-token', 'robot'));
  await delayed.runMaintenance();
  await current.remove('serviceaccounts', 'robot');
  await reactions();
  expect(current.peek('secrets', 'its-token')).toBeDefined();
  await delayed.runMaintenance();
  expect(current.peek('secrets', 'its-token')).toBeUndefined();
});

it('a replica whose work another one has taken over creates no account', async () => {
  const { current, shared } = await openPlaneReplicas();
  const key = { slice: 'replicas', segments: ['members', 'a'] };
  const [revision] = await shared.transact({ writes: [{ key, value: '' }] });
  await shared.transact({ writes: [{ key, value: 'taken over' }] });
  await current.create('namespaces', { metadata: { name: 'fresh' } }, '');
  const runTask = tasksInPlanes(current.store, async () => current.plane);
  const object = { resource: 'serviceaccounts', namespace: 'fresh', name: 'default' };
  const running = runTask('plane', { type: 'reconcile', object }, { key, revision });
  expect((await expectStatusError(running)).code).toBe(503);
  expect(current.peek('serviceaccounts', 'default', 'fresh')).toBeUndefined();
});
