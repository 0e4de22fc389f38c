import { describe, expect, it } from 'vitest';
import { rolesInside, rolesInUse, rolesOf } from './roles-inside.ts';
import type { AccessRule } from './v1/access.ts';
import type { TemplateDefinition } from './v1/template-definition.ts';
import type { VirtualClusterInstance } from './v1/virtual-cluster-instance.ts';

const instance = (
  access?: TemplateDefinition['access'],
  extraAccessRules?: readonly AccessRule[],
): VirtualClusterInstance => ({
  apiVersion: 'v1',
  kind: 'VirtualClusterInstance',
  metadata: { name: 'demo' },
  spec: extraAccessRules === undefined ? {} : { extraAccessRules: [...extraAccessRules] },
  status: access === undefined ? {} : { virtualCluster: { access } },
});
const anna = { user: 'anna', teams: ['painters'] };
const robot = { teams: [] };

describe('roles inside a virtual cluster (completions §8)', () => {
  it('are cluster-admin for every user by default', () => {
    expect(rolesOf(anna, rolesInside(instance()))).toEqual(['cluster-admin']);
    expect(rolesInUse(rolesInside(instance({ defaultClusterRole: '' })))).toEqual(['cluster-admin']);
  });

  it('are those of all matching rules of template and instance, and the default role only if no rule matches', () => {
    const roles = rolesInside(
      instance({ defaultClusterRole: 'view', rules: [{ teams: ['painters'], clusterRole: 'edit' }] }, [
        { users: ['anna'], clusterRole: 'cluster-admin' },
        { users: ['bob'], clusterRole: 'edit' },
      ]),
    );
    expect(rolesOf(anna, roles)).toEqual(['edit', 'cluster-admin']);
    expect(rolesOf({ user: 'bob', teams: [] }, roles)).toEqual(['edit']);
    expect(rolesOf({ user: 'carl', teams: ['anna'] }, roles)).toEqual(['view']);
    expect(rolesInUse(roles)).toEqual(['cluster-admin', 'edit', 'view']);
  });

  it('match * for every caller, and no user rule for a caller that is not a user', () => {
    const roles = rolesInside(instance(undefined, [{ users: ['*'], clusterRole: 'view' }]));
    expect(rolesOf(robot, roles)).toEqual(['view']);
    expect(rolesOf(robot, rolesInside(instance(undefined, [{ users: [''], clusterRole: 'edit' }])))).toEqual([
      'cluster-admin',
    ]);
  });

  it('are empty for a user whom only a rule without a role matches', () => {
    expect(rolesOf(anna, rolesInside(instance(undefined, [{ users: ['anna'], clusterRole: '' }])))).toEqual([]);
  });
});
