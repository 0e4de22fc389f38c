import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { type PolicyRule, rbacGroup } from '../../api/rbac/policy-rule.ts';
import {
  clusterRole,
  clusterRoleBinding,
  person,
  RbacBench,
  refusal,
  role,
  roleBinding,
  writing,
} from './rbac.fixture.ts';

const manager = person('mia', 'ops');
const managing: PolicyRule = {
  verbs: ['get', 'create', 'update', 'patch', 'delete'],
  apiGroups: [rbacGroup],
  resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
};
const readsMaps: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] };

let bench: RbacBench;
beforeEach(async () => {
  bench = await RbacBench.open();
  await bench.create(clusterRole('managing', [managing, readsMaps]));
  await bench.create(clusterRoleBinding('managing', 'managing', { kind: 'User', name: 'mia' }));
});

const whoLacks =
  'user "mia" (groups=["ops" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

describe('a role', () => {
  it('is written by those who may do all that it allows', async () => {
    await bench.create(clusterRole('r', [readsMaps]), manager);
    await bench.create(role('a', 'r', [{ ...readsMaps, resourceNames: ['one'] }]), manager);
    expect(
      (await bench.update(clusterRole('r', [{ ...readsMaps, resourceNames: ['two'] }]), manager)).rules,
    ).toHaveLength(1);
  });

  it('is refused with every right that its writer lacks', async () => {
    const rules = [
      { verbs: ['get', 'list'], apiGroups: ['', 'x'], resources: ['configmaps'], resourceNames: ['q'] },
      { verbs: ['get', 'watch'], apiGroups: [''], resources: ['pods'] },
    ];
    const { code, message } = await refusal(bench.create(role('a', 'r', rules), manager));
    expect(code).toBe(403);
    expect(message).toBe(
      [
        `roles.${rbacGroup} "r" is forbidden: ${whoLacks}`,
        '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["q"], Verbs:["list"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "watch"]}',
        '{APIGroups:["x"], Resources:["configmaps"], ResourceNames:["q"], Verbs:["get" "list"]}',
      ].join('\n'),
    );
    const paths = [{ verbs: ['get', 'put'], nonResourceURLs: ['/a'] }];
    expect((await refusal(bench.create(clusterRole('r', paths), manager))).message).toContain(
      '\n{NonResourceURLs:["/a"], Verbs:["get"]}\n{NonResourceURLs:["/a"], Verbs:["put"]}',
    );
  });

  it('says which roles of its writer are not there', async () => {
    await bench.create(clusterRoleBinding('gone', 'gone', { kind: 'Group', name: 'ops' }));
    const { message } = await refusal(bench.create(role('a', 'r', [{ ...readsMaps, verbs: ['list'] }]), manager));
    expect(message).toMatch(/; resolution errors: \[roles\.rbac\.authorization\.k8s\.io "gone" not found\]$/);
  });

  it('is written by those who may escalate it, by its name in the path', async () => {
    const all = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    const escalate = {
      verbs: ['escalate'],
      apiGroups: [rbacGroup],
      resources: ['clusterroles'],
      resourceNames: ['known'],
    };
    await bench.create(clusterRole('known', []));
    await bench.create(clusterRole('escalating', [escalate]));
    await bench.create(clusterRoleBinding('escalating', 'escalating', { kind: 'User', name: 'mia' }));
    await bench.update(clusterRole('known', all), manager);
    await bench.remove(clusterRoleKind, 'known');
    await bench.update(clusterRole('known', all), manager);
    await bench.remove(clusterRoleKind, 'known');
    expect((await refusal(bench.create(clusterRole('known', all), manager))).code).toBe(403);
    expect((await refusal(bench.create(clusterRole('new', all), manager))).code).toBe(403);
    expect((await refusal(bench.update(clusterRole('managing', all), manager))).code).toBe(403);
  });

  it('follows others only for those who may do everything', async () => {
    const following = (name: string) =>
      ({
        ...clusterRole(name, []),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      }) as KubeObject;
    const refused = 'must have cluster-admin privileges to use the aggregationRule';
    expect((await refusal(bench.create(following('f'), manager))).message).toBe(
      `clusterroles.${rbacGroup} "f" is forbidden: ${refused}`,
    );
    await bench.create(following('f'));
    expect((await refusal(bench.update(clusterRole('f', []), manager))).message).toContain(refused);
  });

  it('may lose its owners and finalizers through those who lack its rights', async () => {
    const strong = clusterRole('strong', [{ verbs: ['*'], nonResourceURLs: ['*'] }]);
    await bench.create({ ...strong, metadata: { ...strong.metadata, finalizers: ['x.io/y'] } });
    const { verbs } = bench.kind(clusterRoleKind);
    const patch = (document: object) =>
      verbs.patch(
        bench.context(manager),
        'strong',
        { type: 'merge', document: document as never, findings: [] },
        writing,
      );
    expect((await refusal(patch({ metadata: { labels: { a: 'b' } } }))).code).toBe(403);
    const { object } = await patch({ metadata: { finalizers: null } });
    expect(object.metadata.finalizers).toBeUndefined();
  });

  it('of more rights than anybody can look at is refused at once, unless one rule has them all', async () => {
    const many = (prefix: string) => Array.from({ length: 2000 }, (_, index) => `${prefix}${index}`);
    const rule = { verbs: many('v'), apiGroups: many('g'), resources: many('r') };
    const started = performance.now();
    const { code, message } = await refusal(bench.create(clusterRole('r', [rule]), manager));
    expect(code).toBe(403);
    expect(message).toContain('{APIGroups:["g0" "g1" ');
    expect(performance.now() - started).toBeLessThan(2000);
    const fewer = { verbs: ['get'], apiGroups: rule.apiGroups.slice(0, 60), resources: rule.resources.slice(0, 60) };
    expect((await refusal(bench.create(clusterRole('r', [fewer]), manager))).message.length).toBeLessThan(2000);
    await bench.create(clusterRole('all', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]));
    await bench.create(clusterRoleBinding('all', 'all', { kind: 'User', name: 'mia' }));
    await bench.create(clusterRole('r', [rule]), manager);
  });
});

describe('a binding', () => {
  const someone = { kind: 'User', name: 'sam' };

  it('is made by those who may do all that its role allows', async () => {
    await bench.create(clusterRole('maps', [readsMaps]));
    await bench.create(roleBinding('a', 'b', 'ClusterRole/maps', someone), manager);
    await bench.create(clusterRoleBinding('b', 'maps', someone), manager);
    const { code, message } = await refusal(bench.create(clusterRoleBinding('c', 'cluster-admin', someone), manager));
    expect(code).toBe(403);
    expect(message).toBe(
      `clusterrolebindings.${rbacGroup} "c" is forbidden: ${whoLacks}\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
    );
  });

  it('is made by those who may bind that role there', async () => {
    const bind = { verbs: ['bind'], apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['view'] };
    await bench.create(role('a', 'binder', [bind]));
    await bench.create(roleBinding('a', 'binder', 'Role/binder', { kind: 'Group', name: 'ops' }));
    await bench.create(roleBinding('a', 'b', 'ClusterRole/view', someone), manager);
    expect((await refusal(bench.create(roleBinding('a', 'c', 'ClusterRole/edit', someone), manager))).code).toBe(403);
    expect((await refusal(bench.create(roleBinding('b', 'b', 'ClusterRole/view', someone), manager))).code).toBe(403);
    expect((await refusal(bench.create(clusterRoleBinding('b', 'view', someone), manager))).code).toBe(403);
  });

  it('to a role that is not there is made only by those who may bind anything', async () => {
    const { code, message } = await refusal(bench.create(roleBinding('a', 'b', 'Role/gone', someone), manager));
    expect([code, message]).toEqual([404, `rolebindings.${rbacGroup} "gone" not found`]);
    await bench.create(roleBinding('a', 'b', 'Role/gone', someone));
  });

  it('of a kind that is none is told as such, rather than as a fault of the server', async () => {
    expect((await refusal(bench.create(roleBinding('a', 'b', 'Node/x', someone), manager))).code).toBe(422);
  });
});
