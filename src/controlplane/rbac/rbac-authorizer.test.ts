import { beforeEach, describe, expect, it } from 'vitest';
import type { UserInfo } from '../../api/user-info.ts';
import type { Decision, ResourceAttributes } from '../../auth/authz/attributes.ts';
import { admin, clusterRole, clusterRoleBinding, person, RbacBench, role, roleBinding } from './rbac.fixture.ts';

const readsMaps = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] };

let bench: RbacBench;
beforeEach(async () => {
  bench = await RbacBench.open();
});

function ask(user: UserInfo, asked: Partial<ResourceAttributes> = {}): Decision {
  const usual = {
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'configmaps',
    subresource: '',
    namespace: 'a',
    name: 'm',
  };
  return bench.part.authorize({ user, system: false }, { ...usual, ...asked, resourceRequest: true });
}

function askPath(user: UserInfo, path: string, verb = 'get'): Decision {
  return bench.part.authorize({ user, system: false }, { resourceRequest: false, verb, path });
}

describe('a decision says why', () => {
  it('by the binding, its role and the subject that the caller is', async () => {
    await bench.create(clusterRole('maps', [readsMaps]));
    await bench.create(role('a', 'maps', [readsMaps]));
    const subjects = [
      { kind: 'Group', name: 'ops' },
      { kind: 'ServiceAccount', name: 'bot' },
      { kind: 'User', name: 'una' },
    ];
    await bench.create(roleBinding('a', 'one', 'Role/maps', ...subjects));
    await bench.create(clusterRoleBinding('two', 'maps', { kind: 'ServiceAccount', name: 'bot', namespace: 'b' }));
    expect(ask(person('una', 'ops'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "one/a" of Role "maps" to Group "ops"',
    });
    expect(ask(person('una')).reason).toBe('RBAC: allowed by RoleBinding "one/a" of Role "maps" to User "una"');
    expect(ask(person('system:serviceaccount:a:bot')).reason).toBe(
      'RBAC: allowed by RoleBinding "one/a" of Role "maps" to ServiceAccount "bot/a"',
    );
    expect(ask(person('system:serviceaccount:b:bot')).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "two" of ClusterRole "maps" to ServiceAccount "bot/b"',
    );
    expect(ask(person('una'), { namespace: 'b' })).toEqual({ allowed: false, reason: '' });
  });

  it('by the roles that it could not find', async () => {
    await bench.create(clusterRoleBinding('one', 'gone', { kind: 'User', name: 'una' }));
    expect(ask(person('una')).reason).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found');
    await bench.create(clusterRoleBinding('again', 'gone', { kind: 'User', name: 'una' }));
    await bench.create(roleBinding('a', 'two', 'Role/gone', { kind: 'User', name: 'una' }));
    expect(ask(person('una')).reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "gone" not found]',
    );
  });
});

describe('who may do what in a new plane', () => {
  it('is everything for the server itself and for system:masters, whatever becomes of the roles', async () => {
    expect(ask(admin)).toEqual({ allowed: true, reason: '' });
    const system = { user: person('controllers'), system: true };
    expect(bench.part.authorize(system, { resourceRequest: false, verb: 'get', path: '/x' }).allowed).toBe(true);
  });

  it('is discovery and reviews of oneself for everybody (AUTHZ-07, DISC-18)', () => {
    const anybody = person('nobody');
    const own = { verb: 'create', group: 'authorization.k8s.io', namespace: '', name: '' };
    expect(ask(anybody, { ...own, resource: 'selfsubjectaccessreviews' }).allowed).toBe(true);
    expect(ask(anybody, { ...own, resource: 'subjectaccessreviews' }).allowed).toBe(false);
    for (const path of ['/api', '/apis/apps/v1', '/openapi/v3', '/version', '/healthz']) {
      expect(askPath(anybody, path).allowed).toBe(true);
    }
    expect(askPath(anybody, '/metrics').allowed).toBe(false);
    expect(askPath(anybody, '/api', 'post').allowed).toBe(false);
    expect(askPath({ name: 'a', groups: ['system:monitoring'] }, '/metrics').allowed).toBe(true);
  });

  it('is told by view, edit and admin where they are bound', async () => {
    for (const name of ['view', 'edit', 'admin']) {
      await bench.create(roleBinding('a', name, `ClusterRole/${name}`, { kind: 'User', name }));
    }
    const may = (name: string, verb: string, resource: string, group = '') =>
      ask(person(name), { verb, resource, group }).allowed;
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

  it('can be given for single names, which a create never has (AUTHZ-09)', async () => {
    await bench.create(role('a', 'one', [{ ...readsMaps, verbs: ['get', 'watch', 'create'], resourceNames: ['m'] }]));
    await bench.create(roleBinding('a', 'one', 'Role/one', { kind: 'User', name: 'una' }));
    expect(ask(person('una'), { verb: 'watch' }).allowed).toBe(true);
    expect(ask(person('una'), { verb: 'watch', name: '' }).allowed).toBe(false);
    expect(ask(person('una'), { verb: 'create', name: '' }).allowed).toBe(false);
  });
});

describe('the rules of somebody', () => {
  it('are those of the roles they have, and say what could not be found (AUTHZ-05)', async () => {
    await bench.create(clusterRole('maps', [readsMaps, { verbs: ['get'], nonResourceURLs: ['/x'] }]));
    await bench.create(clusterRoleBinding('one', 'maps', { kind: 'User', name: 'una' }));
    await bench.create(roleBinding('b', 'two', 'Role/gone', { kind: 'User', name: 'una' }));
    const subject = { user: { name: 'una', groups: [] }, system: false };
    expect(bench.part.rules(subject, 'a')).toEqual({
      resourceRules: [readsMaps],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      incomplete: false,
    });
    expect(bench.part.rules(subject, 'b').evaluationError).toBe('role.rbac.authorization.k8s.io "gone" not found');
  });
});
