import type { ProjectSpec, ReadyDay } from '../../../src/api/management/v1/project.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { listAt, objectAt } from '../../../src/lib/json-path.ts';
import { changedMembers } from '../../data/changed-members.ts';

/** What is counted against quotas. */
const counted = 'virtualclusterinstances';

export function projectSpec(project: KubeObject): ProjectSpec {
  return (objectAt(project, 'spec') ?? {}) as ProjectSpec;
}

export function readyDays(project: KubeObject): readonly ReadyDay[] {
  return listAt(project, 'status', 'timeToReady') as unknown as readonly ReadyDay[];
}

/** Which limits a project has; absent: none. */
export interface QuotaLimits {
  readonly project: number | undefined;
  readonly user: number | undefined;
}

export interface QuotaUse extends QuotaLimits {
  /** Of the whole project; undefined where the server does not count because nothing is limited. */
  readonly used: number | undefined;
  /** Of each user and team that has any, the greatest first. */
  readonly perOwner: readonly { readonly owner: string; readonly used: number }[];
}

function numberOf(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

export function quotaUse(project: KubeObject): QuotaUse {
  const limit = (which: string) => numberOf(objectAt(project, 'spec', 'quotas', which)?.[counted]);
  const ofOwners = objectAt(project, 'status', 'quotas', 'user', 'used') ?? {};
  const perOwner = Object.keys(ofOwners)
    .map((owner) => ({ owner, used: numberOf(objectAt(ofOwners, owner)?.[counted]) ?? 0 }))
    .sort((a, b) => b.used - a.used || (a.owner < b.owner ? -1 : 1));
  return {
    project: limit('project'),
    user: limit('user'),
    used: numberOf(objectAt(project, 'status', 'quotas', 'project', 'used')?.[counted]),
    perOwner,
  };
}

/** A merge patch that sets the limits that are others now, and takes away those that are undefined. */
export function quotaPatch(before: QuotaLimits, after: QuotaLimits): object {
  const part = (limit: number | undefined) => ({ [counted]: limit ?? null });
  const parts = ({ project, user }: QuotaLimits) => ({ project: part(project), user: part(user) });
  return { spec: { quotas: changedMembers(parts(before), parts(after)) } };
}
