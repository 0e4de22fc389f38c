import type { Project, ProjectSpec, ReadyDay } from '../../../src/api/management/v1/project.ts';
import { changedMembers } from '../../data/objects/changed-members.ts';

/** The resources whose objects the quotas count. */
export type QuotaResource = 'virtualclusterinstances' | 'spaceinstances';

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
   * The number of instances in the project. `undefined` if the project has no limit, because the server then does not
   * count its instances.
   */
  readonly used: number | undefined;
  /** The number of instances of each user and team, highest first. */
  readonly perOwner: readonly { readonly owner: string; readonly used: number }[];
}

function numberOf(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

export function quotaUsage({ spec, status }: Project, resource: QuotaResource): QuotaUsage {
  const perOwner = Object.entries(status?.quotas?.user?.used ?? {})
    .map(([owner, used]) => ({ owner, used: numberOf(used[resource]) ?? 0 }))
    .sort((a, b) => b.used - a.used || (a.owner < b.owner ? -1 : 1));
  return {
    project: numberOf(spec?.quotas?.project?.[resource]),
    user: numberOf(spec?.quotas?.user?.[resource]),
    used: numberOf(status?.quotas?.project?.used?.[resource]),
    perOwner,
  };
}

export interface QuotaChange {
  readonly resource: QuotaResource;
  readonly before: QuotaLimits;
  readonly after: QuotaLimits;
}

/** Returns a merge patch with the limits that differ. A limit of `undefined` is removed. */
export function quotaPatch(changes: readonly QuotaChange[]): { readonly spec: { readonly quotas: object } } {
  const limits = (side: 'before' | 'after', scope: keyof QuotaLimits) =>
    Object.fromEntries(changes.map((change) => [change.resource, change[side][scope] ?? null]));
  const changed = (['project', 'user'] as const).map(
    (scope) => [scope, changedMembers(limits('before', scope), limits('after', scope))] as const,
  );
  return { spec: { quotas: Object.fromEntries(changed.filter(([, members]) => Object.keys(members).length > 0)) } };
}
