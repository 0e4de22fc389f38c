import type { Project, ProjectSpec, ReadyDay } from '../../../src/api/management/v1/project.ts';
import { changedMembers } from '../../data/objects/changed-members.ts';

/** The resource whose objects the quotas count. */
const quotaResource = 'virtualclusterinstances';

export function projectSpec({ spec = {} }: Project): ProjectSpec {
  return spec;
}

export function readyDays({ status }: Project): readonly ReadyDay[] {
  return status?.timeToReady ?? [];
}

/** The quota limits of a project; `undefined` means that the project sets none. */
export interface QuotaLimits {
  readonly project: number | undefined;
  readonly user: number | undefined;
}

export interface QuotaUsage extends QuotaLimits {
  /**
   * The number of virtual clusters in the project; `undefined` if the server does not count them, because there is no
   * limit.
   */
  readonly used: number | undefined;
  /** The number of virtual clusters of each user and team, highest first. */
  readonly perOwner: readonly { readonly owner: string; readonly used: number }[];
}

function numberOf(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

export function quotaUsage({ spec, status }: Project): QuotaUsage {
  const perOwner = Object.entries(status?.quotas?.user?.used ?? {})
    .map(([owner, used]) => ({ owner, used: numberOf(used[quotaResource]) ?? 0 }))
    .sort((a, b) => b.used - a.used || (a.owner < b.owner ? -1 : 1));
  return {
    project: numberOf(spec?.quotas?.project?.[quotaResource]),
    user: numberOf(spec?.quotas?.user?.[quotaResource]),
    used: numberOf(status?.quotas?.project?.used?.[quotaResource]),
    perOwner,
  };
}

/** Returns a merge patch with the limits that differ. A limit of `undefined` is removed. */
export function quotaPatch(before: QuotaLimits, after: QuotaLimits): object {
  const part = (limit: number | undefined) => ({ [quotaResource]: limit ?? null });
  const parts = ({ project, user }: QuotaLimits) => ({ project: part(project), user: part(user) });
  return { spec: { quotas: changedMembers(parts(before), parts(after)) } };
}
