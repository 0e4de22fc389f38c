import type { Project } from '../../api/management/v1/project.ts';

/** The number of instances of a kind in a project. */
export interface InstanceUsage {
  /** The plural name of the kind. */
  readonly resource: string;
  readonly total: number;
  /** The number of instances per owner. An owner is a user or a team. */
  readonly perOwner: Iterable<readonly [owner: string, count: number]>;
}

type ProjectQuotaStatus = NonNullable<NonNullable<Project['status']>['quotas']>;

/** Returns the limits and the usage of a project's quotas; `undefined` for a project without quotas. */
export function quotaStatus(project: Project, usage: () => readonly InstanceUsage[]): ProjectQuotaStatus | undefined {
  const ofProject = limitsOf(project, 'project');
  const ofUsers = limitsOf(project, 'user');
  if (ofProject === undefined && ofUsers === undefined) return undefined;
  const kinds = usage().filter(
    ({ resource }) => ofProject?.[resource] !== undefined || ofUsers?.[resource] !== undefined,
  );
  const total = Object.fromEntries(kinds.map((kind) => [kind.resource, String(kind.total)]));
  const used = usedByOwners(kinds);
  return {
    ...(ofProject === undefined ? {} : { project: { limit: ofProject, used: total } }),
    ...(ofUsers === undefined ? {} : { user: { limit: ofUsers, used } }),
  };
}

function usedByOwners(kinds: readonly InstanceUsage[]): Record<string, Record<string, string>> {
  const used = new Map<string, Record<string, string>>();
  for (const { resource, perOwner } of kinds) {
    for (const [owner, count] of perOwner) used.set(owner, { ...used.get(owner), [resource]: String(count) });
  }
  return Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function limitsOf(project: Project, which: 'project' | 'user'): Record<string, string> | undefined {
  const limits = project.spec?.quotas?.[which];
  if (limits === undefined || Object.keys(limits).length === 0) return undefined;
  return Object.fromEntries(Object.entries(limits).map(([resource, limit]) => [resource, String(limit)]));
}
