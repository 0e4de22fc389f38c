import { describe, expect, it } from 'vitest';
import type { AccessRule } from './v1/access.ts';
import type { TemplateDefinition } from './v1/template-definition.ts';
import type { VirtualClusterInstance } from './v1/virtual-cluster-instance.ts';
import { referencedRoles, rolesOfHolder, virtualClusterRoles } from './virtual-cluster-roles.ts';

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
    expect(rolesOfHolder(anna, virtualClusterRoles(instance()))).toEqual(['cluster-admin']);
    expect(referencedRoles(virtualClusterRoles(instance({ defaultClusterRole: '' })))).toEqual(['cluster-admin']);
  });

  it('are those of all matching rules of template and instance, and the default role only if no rule matches', () => {
    const roles = virtualClusterRoles(
      instance({ defaultClusterRole: 'view', rules: [{ teams: ['painters'], clusterRole: 'edit' }] }, [
        { users: ['anna'], clusterRole: 'cluster-admin' },
        { users: ['bob'], clusterRole: 'edit' },
      ]),
    );
    expect(rolesOfHolder(anna, roles)).toEqual(['edit', 'cluster-admin']);
    expect(rolesOfHolder({ user: 'bob', teams: [] }, roles)).toEqual(['edit']);
    expect(rolesOfHolder({ user: 'carl', teams: ['anna'] }, roles)).toEqual(['view']);
    expect(referencedRoles(roles)).toEqual(['cluster-admin', 'edit', 'view']);
  });

  it('match * for every caller, and no user rule for a caller that is not a user', () => {
    const roles = virtualClusterRoles(instance(undefined, [{ users: ['*'], clusterRole: 'view' }]));
    expect(rolesOfHolder(robot, roles)).toEqual(['view']);
    expect(
      rolesOfHolder(robot, virtualClusterRoles(instance(undefined, [{ users: [''], clusterRole: 'edit' }]))),
    ).toEqual(['cluster-admin']);
  });

  it('are empty for a user whom only a rule without a role matches', () => {
    expect(
      rolesOfHolder(anna, virtualClusterRoles(instance(undefined, [{ users: ['anna'], clusterRole: '' }]))),
    ).toEqual([]);
  });
});
