import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import { projectRoles } from '../../../src/api/naming.ts';

export type Role = ProjectMember['clusterRole'];

/** What the roles are called, and what they are for. */
export const roles: readonly { readonly value: Role; readonly label: string; readonly about: string }[] = [
  {
    value: projectRoles.admin,
    label: 'Admin',
    about: 'Manages members and every virtual cluster of the project.',
  },
  {
    value: projectRoles.user,
    label: 'User',
    about: 'Makes virtual clusters, and uses their own and those shared with them.',
  },
  {
    value: projectRoles.viewer,
    label: 'Viewer',
    about: 'Sees the project, and uses what is shared with them.',
  },
];

export function roleLabel(role: Role): string {
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

/** In the same place with another role; nobody has one role twice. One that is gone meanwhile does not come back. */
export function withRole(members: readonly ProjectMember[], member: ProjectMember, clusterRole: Role): ProjectMember[] {
  const changed = { ...member, clusterRole };
  return members
    .filter((one) => isSame(one, member) || !isSame(one, changed))
    .map((one) => (isSame(one, member) ? changed : one));
}

/** Admins first, then by name; the order in the object says nothing. */
export function inOrder(members: readonly ProjectMember[]): ProjectMember[] {
  const rank = ({ clusterRole }: ProjectMember) => roles.findIndex(({ value }) => value === clusterRole);
  return [...members].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || (a.kind < b.kind ? 1 : -1));
}
