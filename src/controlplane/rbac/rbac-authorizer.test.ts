import { beforeEach, describe, expect, it } from 'vitest';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Decision, ResourceAttributes } from '../../auth/authz/attributes.ts';
import {
  clusterRole,
  clusterRoleBinding,
  RbacTestEnv,
  role,
  roleBinding,
  testAdminUser,
  testUser,
} from './rbac.fixture.ts';

const configMapReadRule = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] };

const configMapRead = {
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'configmaps',
  subresource: '',
  namespace: 'a',
  name: 'm',
};

let env: RbacTestEnv;
beforeEach(async () => {
  env = await RbacTestEnv.open();
});

function decide(user: UserInfo, asked: Partial<ResourceAttributes> = {}): Decision {
  return env.part.authorize({ user, system: false }, { ...configMapRead, ...asked, resourceRequest: true });
}

function decidePath(user: UserInfo, path: string, verb = 'get'): Decision {
  return env.part.authorize({ user, system: false }, { resourceRequest: false, verb, path });
}

describe('the reason of a decision', () => {
  it('names the binding, its role and the matching subject', async () => {
    await env.create(clusterRole('maps', [configMapReadRule]));
    await env.create(role('a', 'maps', [configMapReadRule]));
    const subjects = [
      { kind: 'Group', name: 'ops' },
      { kind: 'ServiceAccount', name: 'bot' },
      { kind: 'User', name: 'una' },
    ];
    await env.create(roleBinding('a', 'one', 'Role/maps', ...subjects));
    await env.create(clusterRoleBinding('two', 'maps', { kind: 'ServiceAccount', name: 'bot', namespace: 'b' }));
    expect(decide(testUser('una', 'ops'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "one/a" of Role "maps" to Group "ops"',
    });
    expect(decide(testUser('una')).reason).toBe('RBAC: allowed by RoleBinding "one/a" of Role "maps" to User "una"');
    expect(decide(testUser('system:serviceaccount:a:bot')).reason).toBe(
      'RBAC: allowed by RoleBinding "one/a" of Role "maps" to ServiceAccount "bot/a"',
    );
    expect(decide(testUser('system:serviceaccount:b:bot')).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "two" of ClusterRole "maps" to ServiceAccount "bot/b"',
    );
    expect(decide(testUser('una'), { namespace: 'b' })).toEqual({ allowed: false, reason: '' });
  });

  it('names the roles that do not exist', async () => {
    await env.create(clusterRoleBinding('one', 'gone', { kind: 'User', name: 'una' }));
    expect(decide(testUser('una')).reason).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found');
    await env.create(clusterRoleBinding('again', 'gone', { kind: 'User', name: 'una' }));
    await env.create(roleBinding('a', 'two', 'Role/gone', { kind: 'User', name: 'una' }));
    expect(decide(testUser('una')).reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "gone" not found]',
    );
  });
});

describe('a user with many bindings', () => {
  const una = { kind: 'User', name: 'una' };
  const otherRules = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ verbs: ['get'], apiGroups: [`group-${at}`], resources: ['things'] }));
  const bind = async (count: number, roleOf: (number: number) => string) => {
    for (let number = 0; number < count; number++) {
      await env.create(clusterRoleBinding(`binding-${number}`, roleOf(number), una));
    }
  };

  it('causes one check of each rule, even if all bindings bind the same large role', async () => {
    await env.create(clusterRole('large', otherRules(5_000)));
    await bind(300, () => 'large');
    let checks = 0;
    const attributes = {
      ...configMapRead,
      resourceRequest: true,
      get verb() {
        checks++;
        return 'get';
      },
    } as const;
    expect(env.part.authorize({ user: testUser('una'), system: false }, attributes).allowed).toBe(false);
    // The remaining checks are for rules of roles that every user has.
    expect(checks).toBeLessThan(5_100);
  });

  it('has the rules of every binding in a review, at most 20,000', async () => {
    for (const name of ['a', 'b', 'c']) await env.create(clusterRole(name, otherRules(7_000)));
    const subject = { user: { name: 'una', groups: [] }, system: false };
    await bind(2, () => 'a');
    const twice = [...otherRules(7_000), ...otherRules(7_000)];
    expect(env.part.rules(subject, '')).toMatchObject({ resourceRules: twice, incomplete: false });
    for (const name of ['b', 'c']) await env.create(clusterRoleBinding(name, name, una));
    const { resourceRules, incomplete } = env.part.rules(subject, '');
    expect([resourceRules.length, incomplete]).toEqual([20_000, true]);
  });

  it('is refused with the names of the first 100 roles that do not exist', async () => {
    await bind(150, (number) => `gone-${number}`);
    const { reason } = decide(testUser('una'));
    expect(reason.match(/not found/g)).toHaveLength(100);
    expect(reason).toMatch(/not found, …\]$/);
  });

  it('loses the permissions of the bindings that are deleted or changed', async () => {
    await env.create(clusterRole('maps', [configMapReadRule]));
    await bind(3, () => 'maps');
    await env.remove(clusterRoleBindingKind, 'binding-0');
    await env.remove(clusterRoleBindingKind, 'binding-2');
    expect(decide(testUser('una')).reason).toContain('ClusterRoleBinding "binding-1"');
    await env.update(clusterRoleBinding('binding-1', 'maps', { kind: 'User', name: 'ulf' }));
    expect(decide(testUser('una')).allowed).toBe(false);
    expect(decide(testUser('ulf')).allowed).toBe(true);
  });
});

describe('permissions in a new plane', () => {
  it('include everything for the server itself and for system:masters, regardless of roles', async () => {
    expect(decide(testAdminUser)).toEqual({ allowed: true, reason: '' });
    const system = { user: testUser('controllers'), system: true };
    expect(env.part.authorize(system, { resourceRequest: false, verb: 'get', path: '/x' }).allowed).toBe(true);
  });

  it('include discovery and self reviews for all users (AUTHZ-07, DISC-18)', () => {
    const anybody = testUser('nobody');
    const own = { verb: 'create', group: 'authorization.k8s.io', namespace: '', name: '' };
    expect(decide(anybody, { ...own, resource: 'selfsubjectaccessreviews' }).allowed).toBe(true);
    expect(decide(anybody, { ...own, resource: 'subjectaccessreviews' }).allowed).toBe(false);
    for (const path of ['/api', '/apis/apps/v1', '/openapi/v3', '/version', '/healthz']) {
      expect(decidePath(anybody, path).allowed).toBe(true);
    }
    expect(decidePath(anybody, '/metrics').allowed).toBe(false);
    expect(decidePath(anybody, '/api', 'post').allowed).toBe(false);
    expect(decidePath({ name: 'a', groups: ['system:monitoring'] }, '/metrics').allowed).toBe(true);
  });

  it('follow from view, edit and admin in the namespaces where they are bound', async () => {
    for (const name of ['view', 'edit', 'admin']) {
      await env.create(roleBinding('a', name, `ClusterRole/${name}`, { kind: 'User', name }));
    }
    const may = (name: string, verb: string, resource: string, group = '') =>
      decide(testUser(name), { verb, resource, group }).allowed;
    expect(['view', 'edit', 'admin'].map((name) => may(name, 'list', 'configmaps'))).toEqual([true, true, true]);
    expect(['view', 'edit', 'admin'].map((name) => may(name, 'get', 'secrets'))).toEqual([false, true, true]);
    expect(['view', 'edit', 'admin'].map((name) => may(name, 'create', 'configmaps'))).toEqual([false, true, true]);
    const inGroup = 'rbac.authorization.k8s.io';
    expect(['view', 'edit', 'admin'].map((name) => may(name, 'create', 'roles', inGroup))).toEqual([
      false,
      false,
      true,
    ]);
    expect(['view', 'edit', 'admin'].map((name) => may(name, 'create', 'clusterroles', inGroup))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('can be granted for single names, which never include a create (AUTHZ-09)', async () => {
    await env.create(
      role('a', 'one', [{ ...configMapReadRule, verbs: ['get', 'watch', 'create'], resourceNames: ['m'] }]),
    );
    await env.create(roleBinding('a', 'one', 'Role/one', { kind: 'User', name: 'una' }));
    expect(decide(testUser('una'), { verb: 'watch' }).allowed).toBe(true);
    expect(decide(testUser('una'), { verb: 'watch', name: '' }).allowed).toBe(false);
    expect(decide(testUser('una'), { verb: 'create', name: '' }).allowed).toBe(false);
  });
});

describe('the rules of a user', () => {
  it('are those of the bound roles, with an error for missing roles (AUTHZ-05)', async () => {
    await env.create(clusterRole('maps', [configMapReadRule, { verbs: ['get'], nonResourceURLs: ['/x'] }]));
    await env.create(clusterRoleBinding('one', 'maps', { kind: 'User', name: 'una' }));
    await env.create(roleBinding('b', 'two', 'Role/gone', { kind: 'User', name: 'una' }));
    const subject = { user: { name: 'una', groups: [] }, system: false };
    expect(env.part.rules(subject, 'a')).toEqual({
      resourceRules: [configMapReadRule],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      incomplete: false,
    });
    expect(env.part.rules(subject, 'b').evaluationError).toBe('role.rbac.authorization.k8s.io "gone" not found');
  });
});
