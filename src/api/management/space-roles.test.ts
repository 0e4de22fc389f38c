import { describe, expect, it } from 'vitest';
import { spaceBindings } from './space-roles.ts';
import type { ProjectMember } from './v1/project.ts';

const admins: ProjectMember[] = [
  { kind: 'User', name: 'boss', clusterRole: 'platform-management-project-admin' },
  { kind: 'Team', name: 'leads', clusterRole: 'platform-management-project-admin' },
];

describe('the roles in a space (completions §12)', () => {
  it('are admin for the owner, for those who may use it, and for the admins of the project', () => {
    const spec = {
      owner: { user: 'anna' },
      access: [
        { verbs: ['get', 'use'], users: ['ben'], teams: ['crew'] },
        { verbs: ['get'], users: ['reader'] },
        { verbs: ['use'], subresources: ['kubeconfig'], users: ['other'] },
      ],
    };
    expect(spaceBindings({ spec }, undefined, admins)).toEqual([
      {
        clusterRole: 'admin',
        groups: [
          'platform:team:crew',
          'platform:team:leads',
          'platform:user:anna',
          'platform:user:ben',
          'platform:user:boss',
        ],
      },
    ]);
  });

  it('are those of the rules that name a user or team, and not the default', () => {
    const spec = {
      owner: { user: 'anna' },
      access: [{ verbs: ['*'], users: ['ben', 'cleo'] }],
      extraAccessRules: [{ users: ['ben'], clusterRole: 'view' }],
    };
    const access = { defaultClusterRole: 'edit', rules: [{ users: ['cleo'], teams: ['crew'], clusterRole: 'view' }] };
    expect(spaceBindings({ spec }, access, [])).toEqual([
      { clusterRole: 'edit', groups: ['platform:user:anna'] },
      { clusterRole: 'view', groups: ['platform:team:crew', 'platform:user:ben', 'platform:user:cleo'] },
    ]);
  });

  it('include the role of a rule for everybody only for those who have access', () => {
    const spec = {
      owner: { team: 'crew' },
      extraAccessRules: [
        { users: ['*'], clusterRole: 'view' },
        { teams: ['crew'], clusterRole: 'edit' },
      ],
    };
    expect(spaceBindings({ spec }, undefined, admins.slice(0, 1))).toEqual([
      { clusterRole: 'edit', groups: ['platform:team:crew'] },
      { clusterRole: 'view', groups: ['platform:team:crew', 'platform:user:boss'] },
    ]);
  });

  it('are those of all authenticated callers if everybody may use the space', () => {
    const spec = { access: [{ verbs: ['use'], users: ['*'] }] };
    expect(spaceBindings({ spec }, undefined, [])).toEqual([
      { clusterRole: 'admin', groups: ['platform:authenticated'] },
    ]);
  });
});
