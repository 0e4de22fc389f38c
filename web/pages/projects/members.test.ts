import { describe, expect, it } from 'vitest';
import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import { projectRoles } from '../../../src/api/naming.ts';
import { inOrder, withMember, withoutMember, withRole } from './members.ts';

const { admin, user, viewer } = projectRoles;
const ana: ProjectMember = { kind: 'User', name: 'ana', clusterRole: user };
const anaAsTeam: ProjectMember = { kind: 'Team', name: 'ana', clusterRole: user };
const boss: ProjectMember = { kind: 'User', name: 'boss', clusterRole: admin };

describe('the members of a project', () => {
  it('are added once, and a team is not a user of the same name', () => {
    expect(withMember([ana], ana)).toEqual([ana]);
    expect(withMember([ana], anaAsTeam)).toEqual([ana, anaAsTeam]);
  });

  it('are taken away by kind, name and role', () => {
    expect(withoutMember([ana, anaAsTeam, boss], anaAsTeam)).toEqual([ana, boss]);
  });

  it('change their role in place, and have no role twice', () => {
    const looking = { ...ana, clusterRole: viewer };
    expect(withRole([ana, boss], ana, viewer)).toEqual([looking, boss]);
    expect(withRole([ana, looking, boss], ana, viewer)).toEqual([looking, boss]);
    expect(withRole([ana, boss], ana, user)).toEqual([ana, boss]);
  });

  it('do not come back by a change of role when somebody else took them away meanwhile', () => {
    expect(withRole([boss], ana, viewer)).toEqual([boss]);
  });

  it('are shown admins first, then by name, whatever their order in the object', () => {
    const zoe = { ...ana, name: 'zoe', clusterRole: admin };
    expect(inOrder([ana, zoe, anaAsTeam, boss])).toEqual([boss, zoe, ana, anaAsTeam]);
  });
});
