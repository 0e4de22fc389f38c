import type { JsonObject } from '@flotilla/json';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { rbacGroup } from '../../api/rbac/policy-rule.ts';
import { clusterRole, clusterRoleBinding, expectStatusError, RbacTestEnv, role, roleBinding } from './rbac.fixture.ts';

let env: RbacTestEnv;
beforeEach(async () => {
  env = await RbacTestEnv.open();
});

async function faults(object: KubeObject): Promise<string[]> {
  const { code, status } = await expectStatusError(env.create(object));
  expect(code).toBe(422);
  return (status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

describe('rules of a role', () => {
  it('require verbs, and a group and a resource unless they are for paths', async () => {
    const rules = [{}, { verbs: ['get'] }] as never;
    expect(await faults(clusterRole('r', rules))).toEqual([
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
      'rules[1].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[1].resources: Required value: resource rules must supply at least one resource',
    ]);
  });

  it('are for paths or for resources, and never for paths in a namespace', async () => {
    const both = { verbs: ['get'], nonResourceURLs: ['/a'], resourceNames: ['x'] };
    const mixed =
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs';
    expect(await faults(clusterRole('r', [both]))).toEqual([mixed]);
    expect(await faults(role('a', 'r', [both]))).toEqual([
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs',
      mixed,
    ]);
  });

  it('are stored without empty lists, and omitted if there are none', async () => {
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['x'], resourceNames: [], nonResourceURLs: [] };
    expect((await env.create(clusterRole('r', [rule]))).rules).toEqual([
      { verbs: ['get'], apiGroups: [''], resources: ['x'] },
    ]);
    expect(await env.create(clusterRole('none', []))).not.toHaveProperty('rules');
  });
});

describe('an aggregated role', () => {
  const following = (aggregationRule: JsonObject): KubeObject => ({ ...clusterRole('r', []), aggregationRule });

  it('requires at least one selector', async () => {
    expect(await faults(following({}))).toEqual([
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ]);
  });

  it('has at most 100 selectors', async () => {
    const selectors = (count: number) => Array.from({ length: count }, (_, at) => ({ matchLabels: { a: `b${at}` } }));
    expect(await faults(following({ clusterRoleSelectors: selectors(101) }))).toEqual([
      'aggregationRule.clusterRoleSelectors: Too many: 101: must have at most 100 items',
    ]);
    await env.create(following({ clusterRoleSelectors: selectors(100) }));
  });

  it('is one of at most 100 in a plane', async () => {
    const selectors = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const named = (name: string): KubeObject => ({ ...clusterRole(name, []), aggregationRule: selectors });
    // The default roles admin, edit and view are aggregated.
    for (let number = 3; number < 100; number++) await env.create(named(`role-${number}`));
    expect(await faults(named('another'))).toEqual([
      'aggregationRule: Forbidden: a cluster can have at most 100 cluster roles with an aggregationRule',
    ]);
    await env.update({ ...named('role-3'), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'c' } }] } });
    await env.remove(clusterRoleKind, 'role-3');
    await env.create(named('another'));
  });

  it('requires valid selectors', async () => {
    const matchExpressions = [
      { key: 'a', operator: 'Is' },
      { key: 'b', operator: 'In' },
      { key: 'c', operator: 'Exists', values: ['d'] },
    ];
    const at = 'aggregationRule.clusterRoleSelectors[0]';
    expect(await faults(following({ clusterRoleSelectors: [{ matchExpressions }] }))).toEqual([
      `${at}.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator`,
      `${at}.matchExpressions[1].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${at}.matchExpressions[2].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      `${at}: Invalid value: null: invalid label selector.`,
    ]);
  });
});

describe('a binding', () => {
  it('gets the default API groups', async () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: 'a' },
    ];
    const made = await env.create(clusterRoleBinding('b', 'view', ...subjects));
    expect(made.roleRef).toEqual({ apiGroup: rbacGroup, kind: 'ClusterRole', name: 'view' });
    expect(made.subjects).toEqual([
      { kind: 'User', apiGroup: rbacGroup, name: 'u' },
      { kind: 'Group', apiGroup: rbacGroup, name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: 'a' },
    ]);
    expect(await env.create(clusterRoleBinding('empty', 'view'))).not.toHaveProperty('subjects');
  });

  it('requires a role of a supported kind', async () => {
    const { roleRef: _, ...without } = clusterRoleBinding('b', '');
    expect(await faults(without as KubeObject)).toEqual([
      'roleRef.kind: Unsupported value: "": supported values: "ClusterRole"',
      'roleRef.name: Required value',
    ]);
    const odd = { ...roleBinding('a', 'b', 'Node/x'), roleRef: { kind: 'Node', name: 'a/b', apiGroup: 'x' } };
    expect(await faults(odd as KubeObject)).toEqual([
      `roleRef.apiGroup: Unsupported value: "x": supported values: "${rbacGroup}"`,
      'roleRef.kind: Unsupported value: "Node": supported values: "Role", "ClusterRole"',
      `roleRef.name: Invalid value: "a/b": may not contain '/'`,
    ]);
  });

  it('requires valid subjects', async () => {
    const subjects = [
      {} as { kind: string; name: string },
      { kind: 'Group', name: 'g', apiGroup: 'x' },
      { kind: 'ServiceAccount', name: 's', apiGroup: 'x' },
    ];
    expect(await faults(clusterRoleBinding('b', 'view', ...subjects))).toEqual([
      'subjects[0].name: Required value',
      'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
      `subjects[1].apiGroup: Unsupported value: "x": supported values: "${rbacGroup}"`,
      'subjects[2].apiGroup: Unsupported value: "x": supported values: ""',
      'subjects[2].namespace: Required value',
    ]);
  });

  it('cannot change its role', async () => {
    await env.create(roleBinding('a', 'b', 'Role/r'));
    const { message } = await expectStatusError(env.update(roleBinding('a', 'b', 'Role/other')));
    expect(message).toBe(
      `RoleBinding.${rbacGroup} "b" is invalid: roleRef: Invalid value: {"APIGroup":"${rbacGroup}","Kind":"Role","Name":"other"}: cannot change roleRef`,
    );
  });
});

describe('all four kinds', () => {
  it('are created by PUT, and overwritten without a resourceVersion (UPDATE-08)', async () => {
    await env.update(clusterRole('system:some:thing', []));
    const again = await env.update(clusterRole('system:some:thing', [{ verbs: ['*'], nonResourceURLs: ['*'] }]));
    expect(again.rules).toEqual([{ verbs: ['*'], nonResourceURLs: ['*'] }]);
    expect(env.kind(clusterRoleKind).peek('', 'system:some:thing')?.object.metadata.generation).toBeUndefined();
  });
});
