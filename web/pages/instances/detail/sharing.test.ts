import { describe, expect, it } from 'vitest';
import type {
  VirtualClusterInstance,
  VirtualClusterInstanceSpec,
  VirtualClusterInstanceStatus,
} from '../../../../src/api/management/v1/virtual-cluster-instance.ts';
import { spaceType, virtualClusterType } from '../../../data/instance-types.ts';
import { everyone, granteesOf, permissionsText, suggestedRole, withoutShare, withShare } from './sharing.ts';

const anna = { kind: 'User', name: 'anna' } as const;
const testers = { kind: 'Team', name: 'testers' } as const;

function instance(spec: VirtualClusterInstanceSpec, status: VirtualClusterInstanceStatus = {}): VirtualClusterInstance {
  return { apiVersion: 'v1', kind: 'Instance', metadata: {}, spec, status };
}

function shared(spec: VirtualClusterInstanceSpec, status?: VirtualClusterInstanceStatus) {
  const object = instance(spec, status);
  return granteesOf(object, virtualClusterType.rolesOf(object)).map(({ principal, permissions, roles }) => [
    principal.name,
    permissions,
    ...roles,
  ]);
}

describe('the access list', () => {
  it('starts with the owner, with the default role of the template', () => {
    const status = { virtualCluster: { access: { defaultClusterRole: 'edit' } } };
    expect(shared({ owner: { user: 'bob' }, access: [{ verbs: ['get'], users: ['bob', 'anna'] }] }, status)).toEqual([
      ['bob', 'Full access', 'edit'],
      ['anna', 'View'],
    ]);
  });

  it('contains the roles in a space, admin by default', () => {
    const space = (access?: object) => ({
      apiVersion: 'v1',
      kind: 'SpaceInstance',
      metadata: {},
      spec: { owner: { user: 'bob' } },
      status: { space: access === undefined ? {} : { access } },
    });
    const rolesIn = (object: ReturnType<typeof space>) => granteesOf(object, spaceType.rolesOf(object))[0]?.roles;
    expect(rolesIn(space())).toEqual(['admin']);
    expect(rolesIn(space({ defaultClusterRole: 'view' }))).toEqual(['view']);
    expect(rolesIn(space({ rules: [{ users: ['bob'], clusterRole: 'edit' }] }))).toEqual(['edit']);
  });

  it('merges several entries of the same principal', () => {
    const access = [
      { verbs: ['get'], users: ['anna'] },
      { verbs: ['use', 'patch'], users: ['anna'], teams: ['testers'] },
    ];
    const extraAccessRules = [{ clusterRole: 'view', teams: ['testers'] }];
    expect(shared({ owner: { team: 'ops' }, access, extraAccessRules })).toEqual([
      ['ops', 'Full access', 'cluster-admin'],
      ['anna', 'View, use and change', 'cluster-admin'],
      ['testers', 'Use and change', 'view'],
    ]);
  });

  it('includes principals with a role but no access, and the wildcard user', () => {
    const extraAccessRules = [{ clusterRole: 'view', users: ['anna', '*'] }];
    expect(
      granteesOf(instance({ extraAccessRules }), { defaultRole: 'view', rules: extraAccessRules }).map(
        ({ principal, permissions }) => [principal, permissions],
      ),
    ).toEqual([
      [anna, permissionsText([])],
      [everyone, permissionsText([])],
    ]);
  });
});

describe('sharing', () => {
  it('creates a named entry and adds later principals to it', () => {
    const first = withShare(instance({}), anna, { manages: false });
    expect(first).toEqual({
      access: [{ name: 'shared', verbs: ['get', 'use'], users: ['anna'] }],
      extraAccessRules: [],
    });
    expect(withShare(instance(first), testers, { manages: false, role: 'view' })).toEqual({
      access: [{ name: 'shared', verbs: ['get', 'use'], users: ['anna'], teams: ['testers'] }],
      extraAccessRules: [{ clusterRole: 'view', teams: ['testers'] }],
    });
  });

  it('replaces earlier grants of the principal and keeps the entries of others', () => {
    const own = { name: 'by hand', verbs: ['get'], users: ['bob'] };
    const before = {
      access: [own, { name: 'shared', verbs: ['get', 'use'], users: ['anna'] }],
      extraAccessRules: [{ clusterRole: 'view', users: ['anna', 'bob'] }],
    };
    expect(withShare(instance(before), anna, { manages: true, role: 'edit' })).toEqual({
      access: [own, { name: 'shared-to-manage', verbs: ['get', 'use', 'update', 'patch', 'delete'], users: ['anna'] }],
      extraAccessRules: [
        { clusterRole: 'view', users: ['bob'] },
        { clusterRole: 'edit', users: ['anna'] },
      ],
    });
  });

  it('revokes all grants and removes empty entries', () => {
    const before = withShare(instance({}), testers, { manages: true, role: 'view' });
    expect(withoutShare(instance(before), testers)).toEqual({ access: [], extraAccessRules: [] });
  });
});

describe('the role that the share dialog suggests', () => {
  it('is the default role of the template, or edit, but never the role that applies without a choice', () => {
    const suggested = (status: VirtualClusterInstanceStatus) =>
      suggestedRole({ type: virtualClusterType, object: instance({}, status) });
    expect(suggested({})).toBe('edit');
    expect(suggested({ virtualCluster: { access: { defaultClusterRole: 'view' } } })).toBe('view');
    expect(suggested({ virtualCluster: { access: { defaultClusterRole: 'cluster-admin' } } })).toBe('edit');
    expect(suggestedRole({ type: spaceType, object: { apiVersion: 'v1', kind: 'Space', metadata: {} } })).toBe('edit');
  });
});
