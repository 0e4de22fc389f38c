import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import { projectRoles } from '../../../src/api/naming.ts';

export type ProjectRole = ProjectMember['clusterRole'];

/** The project roles, each with a label and a description for the user. */
export const roles: readonly { readonly value: ProjectRole; readonly label: string; readonly about: string }[] = [
  {
    value: projectRoles.admin,
    label: 'Admin',
    about: 'Can manage the members and all virtual clusters of the project.',
  },
  {
    value: projectRoles.user,
    label: 'User',
    about: 'Can create virtual clusters, and can use virtual clusters that they own or that are shared with them.',
  },
  {
    value: projectRoles.viewer,
    label: 'Viewer',
    about: 'Can view the project, and can use virtual clusters that are shared with them.',
  },
];

export function roleLabel(role: ProjectRole): string {
  return roles.find(({ value }) => value === role)?.label ?? role;
}

function isSame(a: ProjectMember, b: ProjectMember): boolean {
  return a.kind === b.kind && a.name === b.name && a.clusterRole === b.clusterRole;
}

export function withMember(members: readonly ProjectMember[], member: ProjectMember): ProjectMember[] {
  return members.some((one) => isSame(one, member)) ? [...members] : [...members, member];
}

export function withoutMember(members: readonly ProjectMember[], member: ProjectMember): ProjectMember[] {
  return members.filter((one) => !isSame(one, member));
}

/**
 * Returns the members with a new role for one member, without duplicates. A member that another user has removed in the
 * meantime is not added again.
 */
export function withRole(
  members: readonly ProjectMember[],
  member: ProjectMember,
  clusterRole: ProjectRole,
): ProjectMember[] {
  const changed = { ...member, clusterRole };
  return members
    .filter((one) => isSame(one, member) || !isSame(one, changed))
    .map((one) => (isSame(one, member) ? changed : one));
}

/** Returns the members sorted by role, admins first, and then by name. */
export function sortMembers(members: readonly ProjectMember[]): ProjectMember[] {
  const rank = ({ clusterRole }: ProjectMember) => roles.findIndex(({ value }) => value === clusterRole);
  return [...members].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || (a.kind < b.kind ? 1 : -1));
}
