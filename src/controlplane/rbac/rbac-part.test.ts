import { beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import type { KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { AggregationController } from './aggregation-controller.ts';
import { defaultRbacObjects } from './default-objects.ts';
import { clusterRole, clusterRoleBinding, RbacTestEnv } from './rbac.fixture.ts';

const doneByMaintenance = 'in a shared store, maintenance does this; replicas.test.ts tests it';

const ships: PolicyRule = { verbs: ['get'], apiGroups: ['sea.io'], resources: ['ships'] };
const boats: PolicyRule = { verbs: ['get'], apiGroups: ['sea.io'], resources: ['boats'] };
const rafts: PolicyRule = { verbs: ['get'], apiGroups: ['sea.io'], resources: ['rafts'] };
const toView = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };

let env: RbacTestEnv;
beforeEach(async () => {
  env = await RbacTestEnv.open();
});

const roles = () => env.kind(clusterRoleKind);

/** Resolves as soon as the cluster role matches. */
async function until(store: KindStore, name: string, fits: (role: KubeObject) => boolean): Promise<KubeObject> {
  return new Promise((resolve) => {
    const look = () => {
      const role = store.peek('', name)?.object;
      if (role === undefined || !fits(role)) return;
      stop();
      resolve(role);
    };
    const stop = store.listen(look);
    look();
  });
}

const has = (rule: PolicyRule) => (role: KubeObject) =>
  rulesOf(role).some((one) => JSON.stringify(one) === JSON.stringify(rule));
const lacks = (rule: PolicyRule) => (role: KubeObject) => !has(rule)(role);

describe('default roles', () => {
  it('exist in a new plane without a row, labeled and annotated as in Kubernetes', async () => {
    const admin = roles().peek('', 'cluster-admin')?.object;
    expect(admin?.metadata).toMatchObject({
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    });
    const entries = await env.store.list({
      slice: 'plane',
      prefix: ['objects', 'clusterroles.rbac.authorization.k8s.io'],
    });
    expect(entries.entries).toEqual([]);
  });

  it('are created once for all planes, and frozen', () => {
    expect(defaultRbacObjects()).toBe(defaultRbacObjects());
    expect(Object.isFrozen(defaultRbacObjects()[0]?.metadata)).toBe(true);
  });

  it('include each other: edit includes view, admin includes edit', () => {
    const rules = (name: string) => rulesOf(roles().peek('', name)?.object as KubeObject);
    expect(rules('edit')).toEqual(expect.arrayContaining([...rules('view'), ...rules('system:aggregate-to-edit')]));
    expect(rules('admin')).toEqual([...rules('edit'), ...rules('system:aggregate-to-admin')]);
  });
});

describe('a loaded plane', () => {
  itExceptOnEtcd('restores deleted default objects', doneByMaintenance, async () => {
    await env.remove(clusterRoleKind, 'system:basic-user');
    await env.remove(clusterRoleBindingKind, 'system:discovery');
    expect(roles().peek('', 'system:basic-user')).toBeUndefined();
    env = await env.reopen();
    expect(roles().peek('', 'system:basic-user')).toBeDefined();
    expect(env.kind(clusterRoleBindingKind).peek('', 'system:discovery')).toBeDefined();
  });

  itExceptOnEtcd('restores missing parts of default objects, and keeps additions', doneByMaintenance, async () => {
    await env.update(clusterRole('system:basic-user', [ships]));
    await env.update(clusterRoleBinding('system:discovery', 'system:discovery', { kind: 'User', name: 'una' }));
    env = await env.reopen();
    const role = roles().peek('', 'system:basic-user')?.object as KubeObject;
    expect(rulesOf(role)[0]).toEqual(ships);
    expect(role.metadata.labels).toEqual({ 'kubernetes.io/bootstrapping': 'rbac-defaults' });
    expect(
      env.may(
        { name: 'x', groups: ['system:authenticated'] },
        {
          verb: 'create',
          group: 'authorization.k8s.io',
          resource: 'selfsubjectrulesreviews',
        },
      ),
    ).toBe(true);
    expect(env.kind(clusterRoleBindingKind).peek('', 'system:discovery')?.object.subjects).toMatchObject([
      { name: 'una' },
      { name: 'system:authenticated' },
    ]);
  });

  it('does not restore objects whose annotation disables it', async () => {
    const { metadata, ...mine } = clusterRole('system:basic-user', []);
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    await env.update({ ...mine, metadata: { ...metadata, annotations } } as KubeObject);
    env = await env.reopen();
    expect(rulesOf(roles().peek('', 'system:basic-user')?.object as KubeObject)).toEqual([]);
  });

  itExceptOnEtcd('replaces a default binding that references another role', doneByMaintenance, async () => {
    await env.remove(clusterRoleBindingKind, 'system:basic-user');
    await env.create(clusterRoleBinding('system:basic-user', 'cluster-admin', { kind: 'User', name: 'una' }));
    env = await env.reopen();
    const there = env.kind(clusterRoleBindingKind).peek('', 'system:basic-user')?.object;
    expect(there?.roleRef).toMatchObject({ name: 'system:basic-user' });
  });

  it('writes nothing if nothing has changed', async () => {
    const before = await env.store.list({ slice: 'plane', prefix: [] });
    env = await env.reopen();
    expect((await env.store.list({ slice: 'plane', prefix: [] })).revision).toBe(before.revision);
  });
});

describe('aggregated roles', () => {
  itExceptOnEtcd(
    'follow the labels of other roles, also through other aggregated roles',
    doneByMaintenance,
    async () => {
      await env.create(clusterRole('ships', [ships], toView));
      await until(roles(), 'admin', has(ships));
      expect(has(ships)(roles().peek('', 'view')?.object as KubeObject)).toBe(true);
      await env.update(clusterRole('ships', [boats], toView));
      const admin = await until(roles(), 'admin', has(boats));
      expect(lacks(ships)(admin)).toBe(true);
      await env.update(clusterRole('ships', [boats]));
      await until(roles(), 'admin', lacks(boats));
      await env.update(clusterRole('ships', [boats], toView));
      await until(roles(), 'admin', has(boats));
      await env.remove(clusterRoleKind, 'ships');
      await until(roles(), 'admin', lacks(boats));
    },
  );

  itExceptOnEtcd('follow a change at every moment of an update', doneByMaintenance, async () => {
    await env.create(clusterRole('ships', [ships], toView));
    for (let microtasks = 0; microtasks < 100; microtasks++) {
      const first = env.update(clusterRole('ships', [boats], toView));
      for (let waited = 0; waited < microtasks; waited++) await Promise.resolve();
      await Promise.all([first, env.create(clusterRole('rafts', [rafts], toView))]);
      await until(roles(), 'admin', (role) => has(boats)(role) && has(rafts)(role));
      await env.remove(clusterRoleKind, 'rafts');
      await env.update(clusterRole('ships', [ships], toView));
      await until(roles(), 'admin', (role) => has(ships)(role) && lacks(rafts)(role));
    }
  });

  itExceptOnEtcd('discard rules that a user writes into them', doneByMaintenance, async () => {
    const view = roles().peek('', 'view')?.object as KubeObject;
    await env.update({ ...view, rules: [ships] as never });
    const mended = await until(roles(), 'view', lacks(ships));
    expect(mended.rules).toEqual(view.rules);
    expect(mended.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toContain(
      'clusterrole-aggregation-controller Apply',
    );
  });

  itExceptOnEtcd(
    'can have custom selectors, and have no rules if those select nothing',
    doneByMaintenance,
    async () => {
      const aggregationRule = {
        clusterRoleSelectors: [{ matchExpressions: [{ key: 'sea', operator: 'In', values: ['x', 'y'] }] }],
      };
      await env.create({ ...clusterRole('all-at-sea', [ships]), aggregationRule } as unknown as KubeObject);
      const empty = await until(roles(), 'all-at-sea', lacks(ships));
      expect(empty).not.toHaveProperty('rules');
      await env.create(clusterRole('ships', [ships, rafts, boats], { sea: 'x' }));
      await env.create(clusterRole('boats', [boats], { sea: 'y' }));
      const found = await until(roles(), 'all-at-sea', (role) => rulesOf(role)[0]?.resources?.[0] === 'boats');
      expect(found.rules).toEqual([boats, ships, rafts]);
    },
  );

  itExceptOnEtcd('are updated on load if earlier work was interrupted', doneByMaintenance, async () => {
    env.plane.close();
    env = await RbacTestEnv.open(env.store, { isIdle: true });
    await env.create(clusterRole('ships', [ships], toView));
    expect(lacks(ships)(roles().peek('', 'view')?.object as KubeObject)).toBe(true);
    env = await env.reopen();
    expect(has(ships)(roles().peek('', 'admin')?.object as KubeObject)).toBe(true);
  });

  it('converge if they select each other in a cycle', async () => {
    env = await RbacTestEnv.open(undefined, { isIdle: true });
    const following = (name: string, other: string, rule: PolicyRule) =>
      ({
        ...clusterRole(name, [rule], { ring: name }),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { ring: other } }] },
      }) as unknown as KubeObject;
    await env.create(following('one', 'two', ships));
    await env.create(following('two', 'three', boats));
    await env.create(following('three', 'one', rafts));
    const aggregation = new AggregationController(roles(), silentLog);
    await aggregation.reconcile();
    const written = roles().peek('', 'one')?.object.metadata.resourceVersion;
    expect(Number(written)).toBeGreaterThan(0);
    aggregation.stop();
  });
});
