import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { silentLog } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { defaultRbacObjects } from './default-objects.ts';
import { KeepAggregated } from './keep-aggregated.ts';
import { clusterRole, clusterRoleBinding, RbacBench } from './rbac.fixture.ts';

const ships: PolicyRule = { verbs: ['get'], apiGroups: ['sea.io'], resources: ['ships'] };
const boats: PolicyRule = { verbs: ['get'], apiGroups: ['sea.io'], resources: ['boats'] };
const rafts: PolicyRule = { verbs: ['get'], apiGroups: ['sea.io'], resources: ['rafts'] };
const toView = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };

let bench: RbacBench;
beforeEach(async () => {
  bench = await RbacBench.open();
});

const roles = () => bench.kind(clusterRoleKind);

/** Resolves as soon as the cluster role fits. */
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
  it('stand in a new plane without a row, labelled and annotated as in Kubernetes', async () => {
    const admin = roles().peek('', 'cluster-admin')?.object;
    expect(admin?.metadata).toMatchObject({
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    });
    const entries = await bench.store.list({
      slice: 'plane',
      prefix: ['objects', 'clusterroles.rbac.authorization.k8s.io'],
    });
    expect(entries.entries).toEqual([]);
  });

  it('are made once for all planes, and frozen', () => {
    expect(defaultRbacObjects()).toBe(defaultRbacObjects());
    expect(Object.isFrozen(defaultRbacObjects()[0]?.metadata)).toBe(true);
  });

  it('hold one in the other: view in edit, edit in admin', () => {
    const rules = (name: string) => rulesOf(roles().peek('', name)?.object as KubeObject);
    expect(rules('edit')).toEqual(expect.arrayContaining([...rules('view'), ...rules('system:aggregate-to-edit')]));
    expect(rules('admin')).toEqual([...rules('edit'), ...rules('system:aggregate-to-admin')]);
  });
});

describe('a loaded plane', () => {
  it('has back what was deleted of its defaults', async () => {
    await bench.remove(clusterRoleKind, 'system:basic-user');
    await bench.remove(clusterRoleBindingKind, 'system:discovery');
    expect(roles().peek('', 'system:basic-user')).toBeUndefined();
    bench = await bench.reopen();
    expect(roles().peek('', 'system:basic-user')).toBeDefined();
    expect(bench.kind(clusterRoleBindingKind).peek('', 'system:discovery')).toBeDefined();
  });

  it('gives them back what they lack, and leaves what was added', async () => {
    await bench.update(clusterRole('system:basic-user', [ships]));
    await bench.update(clusterRoleBinding('system:discovery', 'system:discovery', { kind: 'User', name: 'una' }));
    bench = await bench.reopen();
    const role = roles().peek('', 'system:basic-user')?.object as KubeObject;
    expect(rulesOf(role)[0]).toEqual(ships);
    expect(role.metadata.labels).toEqual({ 'kubernetes.io/bootstrapping': 'rbac-defaults' });
    expect(
      bench.may(
        { name: 'x', groups: ['system:authenticated'] },
        {
          verb: 'create',
          group: 'authorization.k8s.io',
          resource: 'selfsubjectrulesreviews',
        },
      ),
    ).toBe(true);
    expect(bench.kind(clusterRoleBindingKind).peek('', 'system:discovery')?.object.subjects).toMatchObject([
      { name: 'una' },
      { name: 'system:authenticated' },
    ]);
  });

  it('leaves alone what says so', async () => {
    const { metadata, ...mine } = clusterRole('system:basic-user', []);
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    await bench.update({ ...mine, metadata: { ...metadata, annotations } } as KubeObject);
    bench = await bench.reopen();
    expect(rulesOf(roles().peek('', 'system:basic-user')?.object as KubeObject)).toEqual([]);
  });

  it('gives a binding of a default name the role that it should give', async () => {
    await bench.remove(clusterRoleBindingKind, 'system:basic-user');
    await bench.create(clusterRoleBinding('system:basic-user', 'cluster-admin', { kind: 'User', name: 'una' }));
    bench = await bench.reopen();
    const there = bench.kind(clusterRoleBindingKind).peek('', 'system:basic-user')?.object;
    expect(there?.roleRef).toMatchObject({ name: 'system:basic-user' });
  });

  it('writes nothing where nothing is to be done', async () => {
    const before = await bench.store.list({ slice: 'plane', prefix: [] });
    bench = await bench.reopen();
    expect((await bench.store.list({ slice: 'plane', prefix: [] })).revision).toBe(before.revision);
  });
});

describe('aggregated roles', () => {
  it('follow the labels, and those that follow them do too', async () => {
    await bench.create(clusterRole('ships', [ships], toView));
    await until(roles(), 'admin', has(ships));
    expect(has(ships)(roles().peek('', 'view')?.object as KubeObject)).toBe(true);
    await bench.update(clusterRole('ships', [boats], toView));
    const admin = await until(roles(), 'admin', has(boats));
    expect(lacks(ships)(admin)).toBe(true);
    await bench.update(clusterRole('ships', [boats]));
    await until(roles(), 'admin', lacks(boats));
    await bench.update(clusterRole('ships', [boats], toView));
    await until(roles(), 'admin', has(boats));
    await bench.remove(clusterRoleKind, 'ships');
    await until(roles(), 'admin', lacks(boats));
  });

  it('lose what somebody writes into their rules', async () => {
    const view = roles().peek('', 'view')?.object as KubeObject;
    await bench.update({ ...view, rules: [ships] as never });
    const mended = await until(roles(), 'view', lacks(ships));
    expect(mended.rules).toEqual(view.rules);
    expect(mended.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toContain(
      'clusterrole-aggregation-controller Apply',
    );
  });

  it('can have selectors of their own, and no rules where those find nothing', async () => {
    const aggregationRule = {
      clusterRoleSelectors: [{ matchExpressions: [{ key: 'sea', operator: 'In', values: ['x', 'y'] }] }],
    };
    await bench.create({ ...clusterRole('all-at-sea', [ships]), aggregationRule } as unknown as KubeObject);
    const empty = await until(roles(), 'all-at-sea', lacks(ships));
    expect(empty).not.toHaveProperty('rules');
    await bench.create(clusterRole('ships', [ships, rafts, boats], { sea: 'x' }));
    await bench.create(clusterRole('boats', [boats], { sea: 'y' }));
    const found = await until(roles(), 'all-at-sea', (role) => rulesOf(role)[0]?.resources?.[0] === 'boats');
    expect(found.rules).toEqual([boats, ships, rafts]);
  });

  it('are right when a plane is loaded whose work was cut short', async () => {
    bench.plane.close();
    bench = await RbacBench.open(bench.store, { isIdle: true });
    await bench.create(clusterRole('ships', [ships], toView));
    expect(lacks(ships)(roles().peek('', 'view')?.object as KubeObject)).toBe(true);
    bench = await bench.reopen();
    expect(has(ships)(roles().peek('', 'admin')?.object as KubeObject)).toBe(true);
  });

  it('come to rest where they follow each other in a ring', async () => {
    bench = await RbacBench.open(undefined, { isIdle: true });
    const following = (name: string, other: string, rule: PolicyRule) =>
      ({
        ...clusterRole(name, [rule], { ring: name }),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { ring: other } }] },
      }) as unknown as KubeObject;
    await bench.create(following('one', 'two', ships));
    await bench.create(following('two', 'three', boats));
    await bench.create(following('three', 'one', rafts));
    const aggregation = new KeepAggregated(roles(), silentLog);
    await aggregation.settle();
    const written = roles().peek('', 'one')?.object.metadata.resourceVersion;
    expect(Number(written)).toBeGreaterThan(0);
    aggregation.stop();
  });
});
