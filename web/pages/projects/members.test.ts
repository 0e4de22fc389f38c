import { describe, expect, it } from 'vitest';
import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import { projectRoles } from '../../../src/api/naming.ts';
import { sortMembers, withMember, withoutMember, withRole } from './members.ts';

const { admin, user, viewer } = projectRoles;
const ana: ProjectMember = { kind: 'User', name: 'ana', clusterRole: user };
const anaAsTeam: ProjectMember = { kind: 'Team', name: 'ana', clusterRole: user };
const boss: ProjectMember = { kind: 'User', name: 'boss', clusterRole: admin };

describe('the members of a project', () => {
  it('are added once, and a team differs from a user of the same name', () => {
    expect(withMember([ana], ana)).toEqual([ana]);
    expect(withMember([ana], anaAsTeam)).toEqual([ana, anaAsTeam]);
  });

  it('are removed by kind, name and role', () => {
    expect(withoutMember([ana, anaAsTeam, boss], anaAsTeam)).toEqual([ana, boss]);
  });

  it('change their role in place, without duplicates', () => {
    const looking = { ...ana, clusterRole: viewer };
    expect(withRole([ana, boss], ana, viewer)).toEqual([looking, boss]);
    expect(withRole([ana, looking, boss], ana, viewer)).toEqual([looking, boss]);
    expect(withRole([ana, boss], ana, user)).toEqual([ana, boss]);
  });

  it('are not added again by a role change after a concurrent removal', () => {
    expect(withRole([boss], ana, viewer)).toEqual([boss]);
  });

  it('are sorted by role, then by name', () => {
    const zoe = { ...ana, name: 'zoe', clusterRole: admin };
    expect(sortMembers([ana, zoe, anaAsTeam, boss])).toEqual([boss, zoe, ana, anaAsTeam]);
  });
});
