import type { Project, ProjectSpec, ReadyDay } from '../../../src/api/management/v1/project.ts';
import { changedMembers } from '../../data/objects/changed-members.ts';

/** The resource that quotas count. */
const quotaResource = 'virtualclusterinstances';

export function projectSpec({ spec = {} }: Project): ProjectSpec {
  return spec;
}

export function readyDays({ status }: Project): readonly ReadyDay[] {
  return status?.timeToReady ?? [];
}

/** The limits of a project; `undefined` for no limit. */
export interface QuotaLimits {
  readonly project: number | undefined;
  readonly user: number | undefined;
}

export interface QuotaUsage extends QuotaLimits {
  /** The usage of the whole project; `undefined` if the server does not count because there is no limit. */
  readonly used: number | undefined;
  /** The usage of each user and team, highest first. */
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

/** Returns a merge patch with the changed limits; `undefined` removes a limit. */
export function quotaPatch(before: QuotaLimits, after: QuotaLimits): object {
  const part = (limit: number | undefined) => ({ [quotaResource]: limit ?? null });
  const parts = ({ project, user }: QuotaLimits) => ({ project: part(project), user: part(user) });
  return { spec: { quotas: changedMembers(parts(before), parts(after)) } };
}
