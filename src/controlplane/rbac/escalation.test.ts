import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { type PolicyRule, rbacGroup } from '../../api/rbac/policy-rule.ts';
import {
  clusterRole,
  clusterRoleBinding,
  expectStatusError,
  RbacTestEnv,
  role,
  roleBinding,
  testUser,
  testWriteOptions,
} from './rbac.fixture.ts';

const manager = testUser('mia', 'ops');
const managerRule: PolicyRule = {
  verbs: ['get', 'create', 'update', 'patch', 'delete'],
  apiGroups: [rbacGroup],
  resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
};
const configMapReadRule: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] };

let env: RbacTestEnv;
beforeEach(async () => {
  env = await RbacTestEnv.open();
  await env.create(clusterRole('managing', [managerRule, configMapReadRule]));
  await env.create(clusterRoleBinding('managing', 'managing', { kind: 'User', name: 'mia' }));
});

const missingPrefix =
  'user "mia" (groups=["ops" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

describe('a role', () => {
  it('can be written by a user who holds all of its permissions', async () => {
    await env.create(clusterRole('r', [configMapReadRule]), manager);
    await env.create(role('a', 'r', [{ ...configMapReadRule, resourceNames: ['one'] }]), manager);
    expect(
      (await env.update(clusterRole('r', [{ ...configMapReadRule, resourceNames: ['two'] }]), manager)).rules,
    ).toHaveLength(1);
  });

  it('is refused with a list of all permissions that its writer lacks', async () => {
    const rules = [
      { verbs: ['get', 'list'], apiGroups: ['', 'x'], resources: ['configmaps'], resourceNames: ['q'] },
      { verbs: ['get', 'watch'], apiGroups: [''], resources: ['pods'] },
    ];
    const { code, message } = await expectStatusError(env.create(role('a', 'r', rules), manager));
    expect(code).toBe(403);
    expect(message).toBe(
      [
        `roles.${rbacGroup} "r" is forbidden: ${missingPrefix}`,
        '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["q"], Verbs:["list"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "watch"]}',
        '{APIGroups:["x"], Resources:["configmaps"], ResourceNames:["q"], Verbs:["get" "list"]}',
      ].join('\n'),
    );
    const paths = [{ verbs: ['get', 'put'], nonResourceURLs: ['/a'] }];
    expect((await expectStatusError(env.create(clusterRole('r', paths), manager))).message).toContain(
      '\n{NonResourceURLs:["/a"], Verbs:["get"]}\n{NonResourceURLs:["/a"], Verbs:["put"]}',
    );
  });

  it('is refused with the missing roles of its writer', async () => {
    await env.create(clusterRoleBinding('gone', 'gone', { kind: 'Group', name: 'ops' }));
    const { message } = await expectStatusError(
      env.create(role('a', 'r', [{ ...configMapReadRule, verbs: ['list'] }]), manager),
    );
    expect(message).toMatch(/; resolution errors: \[roles\.rbac\.authorization\.k8s\.io "gone" not found\]$/);
  });

  it('can be written by a user who may escalate it, by its name in the path', async () => {
    const all = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    const escalate = {
      verbs: ['escalate'],
      apiGroups: [rbacGroup],
      resources: ['clusterroles'],
      resourceNames: ['known'],
    };
    await env.create(clusterRole('known', []));
    await env.create(clusterRole('escalating', [escalate]));
    await env.create(clusterRoleBinding('escalating', 'escalating', { kind: 'User', name: 'mia' }));
    await env.update(clusterRole('known', all), manager);
    await env.remove(clusterRoleKind, 'known');
    await env.update(clusterRole('known', all), manager);
    await env.remove(clusterRoleKind, 'known');
    expect((await expectStatusError(env.create(clusterRole('known', all), manager))).code).toBe(403);
    expect((await expectStatusError(env.create(clusterRole('new', all), manager))).code).toBe(403);
    expect((await expectStatusError(env.update(clusterRole('managing', all), manager))).code).toBe(403);
  });

  it('can aggregate others only if its writer holds all permissions', async () => {
    const following = (name: string) =>
      ({
        ...clusterRole(name, []),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      }) as KubeObject;
    const refused = 'must have cluster-admin privileges to use the aggregationRule';
    expect((await expectStatusError(env.create(following('f'), manager))).message).toBe(
      `clusterroles.${rbacGroup} "f" is forbidden: ${refused}`,
    );
    await env.create(following('f'));
    expect((await expectStatusError(env.update(clusterRole('f', []), manager))).message).toContain(refused);
  });

  it('can lose owners and finalizers by a user who lacks its permissions', async () => {
    const strong = clusterRole('strong', [{ verbs: ['*'], nonResourceURLs: ['*'] }]);
    await env.create({ ...strong, metadata: { ...strong.metadata, finalizers: ['x.io/y'] } });
    const { verbs } = env.kind(clusterRoleKind);
    const patch = (document: object) =>
      verbs.patch(
        env.context(manager),
        'strong',
        { type: 'merge', document: document as never, findings: [] },
        testWriteOptions,
      );
    expect((await expectStatusError(patch({ metadata: { labels: { a: 'b' } } }))).code).toBe(403);
    const { object } = await patch({ metadata: { finalizers: null } });
    expect(object.metadata.finalizers).toBeUndefined();
  });

  it('with too many permissions to compare is refused at once, unless one rule covers them all', async () => {
    const many = (prefix: string) => Array.from({ length: 2000 }, (_, index) => `${prefix}${index}`);
    const rule = { verbs: many('v'), apiGroups: many('g'), resources: many('r') };
    const started = performance.now();
    const { code, message } = await expectStatusError(env.create(clusterRole('r', [rule]), manager));
    expect(code).toBe(403);
    expect(message).toContain('{APIGroups:["g0" "g1" ');
    expect(performance.now() - started).toBeLessThan(2000);
    const fewer = { verbs: ['get'], apiGroups: rule.apiGroups.slice(0, 60), resources: rule.resources.slice(0, 60) };
    expect((await expectStatusError(env.create(clusterRole('r', [fewer]), manager))).message.length).toBeLessThan(2000);
    await env.create(clusterRole('all', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]));
    await env.create(clusterRoleBinding('all', 'all', { kind: 'User', name: 'mia' }));
    await env.create(clusterRole('r', [rule]), manager);
  });
});

describe('a binding', () => {
  const someone = { kind: 'User', name: 'sam' };

  it('can be created by a user who holds all permissions of its role', async () => {
    await env.create(clusterRole('maps', [configMapReadRule]));
    await env.create(roleBinding('a', 'b', 'ClusterRole/maps', someone), manager);
    await env.create(clusterRoleBinding('b', 'maps', someone), manager);
    const { code, message } = await expectStatusError(
      env.create(clusterRoleBinding('c', 'cluster-admin', someone), manager),
    );
    expect(code).toBe(403);
    expect(message).toBe(
      `clusterrolebindings.${rbacGroup} "c" is forbidden: ${missingPrefix}\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
    );
  });

  it('can be created by a user who may bind that role in the namespace', async () => {
    const bind = { verbs: ['bind'], apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['view'] };
    await env.create(role('a', 'binder', [bind]));
    await env.create(roleBinding('a', 'binder', 'Role/binder', { kind: 'Group', name: 'ops' }));
    await env.create(roleBinding('a', 'b', 'ClusterRole/view', someone), manager);
    expect(
      (await expectStatusError(env.create(roleBinding('a', 'c', 'ClusterRole/edit', someone), manager))).code,
    ).toBe(403);
    expect(
      (await expectStatusError(env.create(roleBinding('b', 'b', 'ClusterRole/view', someone), manager))).code,
    ).toBe(403);
    expect((await expectStatusError(env.create(clusterRoleBinding('b', 'view', someone), manager))).code).toBe(403);
  });

  it('to a missing role can be created only by a user who may bind anything', async () => {
    const { code, message } = await expectStatusError(env.create(roleBinding('a', 'b', 'Role/gone', someone), manager));
    expect([code, message]).toEqual([404, `rolebindings.${rbacGroup} "gone" not found`]);
    await env.create(roleBinding('a', 'b', 'Role/gone', someone));
  });

  it('to an unknown kind of role is refused as invalid, not as an internal error', async () => {
    expect((await expectStatusError(env.create(roleBinding('a', 'b', 'Node/x', someone), manager))).code).toBe(422);
  });
});
