import type { AllowedTemplate, Project, ProjectMember } from '../../api/management/v1/project.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import { projectRoles } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { Caller } from './caller.ts';

export type ProjectRole = 'admin' | 'user' | 'viewer';

/** A set of names. If `all` is true, it contains every name. */
interface Names {
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
}

interface Grants {
  readonly users: ReadonlyMap<string, ReadonlySet<ProjectRole>>;
  readonly teams: ReadonlyMap<string, ReadonlySet<ProjectRole>>;
  readonly clusters: Names;
  readonly templates: Names;
  readonly spaceTemplates: Names;
}

const roleOf: ReadonlyMap<string, ProjectRole> = new Map([
  [projectRoles.admin, 'admin'],
  [projectRoles.user, 'user'],
  [projectRoles.viewer, 'viewer'],
]);

/** The grants of each project object, so that a check does not have to scan all members of a large project. */
const grantsCache = new WeakMap<Project, Grants>();

function grantsOf(project: Project): Grants {
  const found = grantsCache.get(project);
  if (found !== undefined) return found;
  const grants: Grants = {
    users: rolesOf(project, 'User'),
    teams: rolesOf(project, 'Team'),
    clusters: namesOf(project.spec?.allowedClusters ?? []),
    templates: namesOf(allowedTemplatesOf(project, virtualClusterTemplateKind)),
    spaceTemplates: namesOf(allowedTemplatesOf(project, spaceTemplateKind)),
  };
  grantsCache.set(project, grants);
  return grants;
}

/** True if the caller has the role in the project, directly or as a member of a team. */
export function hasRole(caller: Caller, project: Project | undefined, role: ProjectRole): boolean {
  if (project === undefined) return false;
  const { users, teams } = grantsOf(project);
  if (caller.user !== undefined && users.get(caller.user)?.has(role) === true) return true;
  return caller.teams.some((team) => teams.get(team)?.has(role) === true);
}

/** True if the team itself has the role in the project. The roles of its members do not count. */
export function teamHasRole(team: string, project: Project | undefined, role: ProjectRole): boolean {
  return project !== undefined && grantsOf(project).teams.get(team)?.has(role) === true;
}

/** Returns the members of a project that have the role of an admin. */
export function adminsOfProject(project: Project | undefined): readonly ProjectMember[] {
  return (project?.spec?.members ?? []).filter(({ clusterRole }) => clusterRole === projectRoles.admin);
}

/** True if the caller is a member of the project with any role, directly or as a member of a team. */
export function isMember(caller: Caller, project: Project | undefined): boolean {
  if (project === undefined) return false;
  const { users, teams } = grantsOf(project);
  return (caller.user !== undefined && users.has(caller.user)) || caller.teams.some((team) => teams.has(team));
}

export function allowsCluster(project: Project, cluster: string): boolean {
  const { all, names } = grantsOf(project).clusters;
  return all || names.has(cluster);
}

export function allowsTemplate(project: Project, template: string): boolean {
  const { all, names } = grantsOf(project).templates;
  return all || names.has(template);
}

export function allowsSpaceTemplate(project: Project, template: string): boolean {
  const { all, names } = grantsOf(project).spaceTemplates;
  return all || names.has(template);
}

/** Returns the entries of `allowedTemplates` for a kind of template. Entries without a kind are for virtual clusters. */
export function allowedTemplatesOf(project: Project, { kind }: Pick<ResourceKind, 'kind'>): AllowedTemplate[] {
  const entries = project.spec?.allowedTemplates ?? [];
  return entries.filter((entry) => (entry.kind || virtualClusterTemplateKind.kind) === kind);
}

function rolesOf(project: Project, kind: 'User' | 'Team'): Map<string, Set<ProjectRole>> {
  const roles = new Map<string, Set<ProjectRole>>();
  for (const { kind: memberKind, name, clusterRole } of project.spec?.members ?? []) {
    const role = roleOf.get(clusterRole);
    if (memberKind !== kind || role === undefined) continue;
    const held = roles.get(name) ?? new Set<ProjectRole>();
    roles.set(name, held.add(role));
  }
  return roles;
}

function namesOf(entries: readonly { readonly name: string }[]): Names {
  const names = new Set(entries.map(({ name }) => name));
  return { all: names.has('*'), names };
}
