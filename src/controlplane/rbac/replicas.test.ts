import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { reconcileRange, resourceKey } from '../../registry/rows/rows.ts';
import { twoReplicas } from '../../store/replicas.fixture.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import { tasksInPlanes } from '../maintenance/maintenance-task.ts';
import { planeCreationKey } from '../plane-creation.ts';
import { clusterRole, expectStatusError, RbacTestEnv } from './rbac.fixture.ts';

const ships: PolicyRule = { verbs: ['get'], apiGroups: ['sea.io'], resources: ['ships'] };
const toView = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
const roles = resourceKey(clusterRoleKind);

const openPlaneReplicas = () => twoReplicas((store) => RbacTestEnv.open(store));

/** Waits until everything that reacts to changes without maintenance has reacted. */
async function reactions(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns the names of the roles for which maintenance work is recorded. */
async function requested(store: Store): Promise<(string | undefined)[]> {
  const { entries } = await store.list(reconcileRange);
  return entries.filter(({ key }) => key.segments[2] === roles).map(({ key }) => key.segments[4]);
}

function runTask({ store, plane }: RbacTestEnv, name: string, fence?: RevisionCheck): Promise<number | undefined> {
  const object = { resource: roles, namespace: '', name };
  return tasksInPlanes(store, async () => plane)('plane', { type: 'reconcile', object }, fence);
}

const resourcesOf = (env: RbacTestEnv, role: string) =>
  rulesOf(env.kind(clusterRoleKind).peek('', role)?.object as KubeObject).flatMap(({ resources }) => resources ?? []);

it('only maintenance updates aggregated roles', async () => {
  const { current, delayed, shared } = await openPlaneReplicas();
  await current.create(clusterRole('plain', [ships]));
  expect(await requested(shared)).toEqual([]);
  await current.create(clusterRole('ships', [ships], toView));
  await reactions();
  expect(await requested(shared)).toEqual(['ships']);
  expect(resourcesOf(current, 'admin')).not.toContain('ships');
  await runTask(delayed, 'ships');
  for (const role of ['view', 'edit', 'admin']) expect(resourcesOf(current, role)).toContain('ships');
  // The updates of the task itself cause no further work.
  expect(await requested(shared)).toEqual(['ships']);
  await current.remove(clusterRoleKind, 'ships');
  await runTask(delayed, 'ships');
  for (const role of ['view', 'edit', 'admin']) expect(resourcesOf(current, role)).not.toContain('ships');
});

it('a replica that loads a plane with outdated aggregated roles requests an update', async () => {
  const { current, delayed, shared } = await openPlaneReplicas();
  await current.create(clusterRole('ships', [ships], toView));
  await shared.removePrefix(reconcileRange);
  const loaded = await delayed.reopen();
  expect(await requested(shared)).toEqual(['view']);
  expect(resourcesOf(loaded, 'view')).not.toContain('ships');
  await runTask(loaded, 'view');
  expect(resourcesOf(current, 'admin')).toContain('ships');
});

it('a replica whose work another one has taken over updates no aggregated roles', async () => {
  const { current, shared } = await openPlaneReplicas();
  await current.create(clusterRole('ships', [ships], toView));
  const key = { slice: 'replicas', segments: ['members', 'a'] };
  const [revision] = await shared.transact({ writes: [{ key, value: '' }] });
  await shared.transact({ writes: [{ key, value: 'taken over' }] });
  expect((await expectStatusError(runTask(current, 'ships', { key, revision }))).code).toBe(503);
  expect(resourcesOf(current, 'view')).not.toContain('ships');
  await runTask(current, 'ships');
  expect(resourcesOf(current, 'view')).toContain('ships');
});

it('only maintenance restores default objects', async () => {
  const { current, delayed, shared } = await openPlaneReplicas();
  await current.remove(clusterRoleKind, 'system:basic-user');
  const loaded = await delayed.reopen();
  expect(loaded.kind(clusterRoleKind).peek('', 'system:basic-user')).toBeUndefined();
  const { entries } = await shared.list(reconcileRange);
  const bindings = resourceKey(clusterRoleBindingKind);
  expect(entries.map(({ key }) => key.segments.slice(2))).toEqual([[bindings, '', 'cluster-admin']]);
  const object = { resource: bindings, namespace: '', name: 'cluster-admin' };
  const run = (fence?: RevisionCheck) =>
    tasksInPlanes(loaded.store, async () => loaded.plane)('plane', { type: 'reconcile', object }, fence);
  const key = { slice: 'replicas', segments: ['members', 'a'] };
  expect((await expectStatusError(run({ key, revision: 1 }))).code).toBe(503);
  expect(loaded.kind(clusterRoleKind).peek('', 'system:basic-user')).toBeUndefined();
  await run();
  expect(loaded.kind(clusterRoleKind).peek('', 'system:basic-user')).toBeDefined();
});

it('a replica does not restore its default objects in a plane with those of a newer release', async () => {
  const { current, delayed, shared } = await openPlaneReplicas();
  await current.remove(clusterRoleKind, 'system:basic-user');
  const row = await shared.get(planeCreationKey('plane'));
  const newer = { ...(JSON.parse(row?.value ?? '') as object), standing: 'other', standingVersion: 1_000 };
  await shared.transact({ writes: [{ key: planeCreationKey('plane'), value: JSON.stringify(newer) }] });
  const loaded = await delayed.reopen();
  expect(loaded.kind(clusterRoleKind).peek('', 'system:basic-user')).toBeUndefined();
  expect(JSON.parse((await shared.get(planeCreationKey('plane')))?.value ?? '')).toEqual(newer);
});
