import type { Project } from '../../api/management/v1/project.ts';

const instanceResource = 'virtualclusterinstances';

/** The number of instances in a project. */
export interface InstanceUsage {
  readonly total: number;
  /** The number of instances by the name of the owner, which is a user or a team. */
  readonly perOwner: Iterable<readonly [owner: string, count: number]>;
}

type ProjectQuotaStatus = NonNullable<NonNullable<Project['status']>['quotas']>;

/** Returns the limits and the usage of a project's quotas; `undefined` for a project without quotas. */
export function quotaStatus(project: Project, usage: () => InstanceUsage): ProjectQuotaStatus | undefined {
  const ofProject = limitsOf(project, 'project');
  const ofUsers = limitsOf(project, 'user');
  if (ofProject === undefined && ofUsers === undefined) return undefined;
  const { total, perOwner } = usage();
  const used = Object.fromEntries(
    [...perOwner].sort().map(([owner, count]) => [owner, { [instanceResource]: String(count) }]),
  );
  return {
    ...(ofProject === undefined ? {} : { project: { limit: ofProject, used: { [instanceResource]: String(total) } } }),
    ...(ofUsers === undefined ? {} : { user: { limit: ofUsers, used } }),
  };
}

function limitsOf(project: Project, which: 'project' | 'user'): Record<string, string> | undefined {
  const limits = project.spec?.quotas?.[which];
  if (limits === undefined || Object.keys(limits).length === 0) return undefined;
  return Object.fromEntries(Object.entries(limits).map(([resource, limit]) => [resource, String(limit)]));
}
