import type { ProjectSpec, ReadyDay } from '../../../src/api/management/v1/project.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { listAt, objectAt } from '../../../src/lib/json-path.ts';
import { changedMembers } from '../../data/changed-members.ts';

/** The resource that quotas count. */
const quotaResource = 'virtualclusterinstances';

export function projectSpec(project: KubeObject): ProjectSpec {
  return (objectAt(project, 'spec') ?? {}) as ProjectSpec;
}

export function readyDays(project: KubeObject): readonly ReadyDay[] {
  return listAt(project, 'status', 'timeToReady') as unknown as readonly ReadyDay[];
}

/** The limits of a project; `undefined` for no limit. */
export interface QuotaLimits {
  readonly project: number | undefined;
  readonly user: number | undefined;
}

export interface QuotaUse extends QuotaLimits {
  /** The usage of the whole project; `undefined` if the server does not count because there is no limit. */
  readonly used: number | undefined;
  /** The usage of each user and team, highest first. */
  readonly perOwner: readonly { readonly owner: string; readonly used: number }[];
}

function numberOf(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

export function quotaUse(project: KubeObject): QuotaUse {
  const limit = (which: string) => numberOf(objectAt(project, 'spec', 'quotas', which)?.[quotaResource]);
  const ofOwners = objectAt(project, 'status', 'quotas', 'user', 'used') ?? {};
  const perOwner = Object.keys(ofOwners)
    .map((owner) => ({ owner, used: numberOf(objectAt(ofOwners, owner)?.[quotaResource]) ?? 0 }))
    .sort((a, b) => b.used - a.used || (a.owner < b.owner ? -1 : 1));
  return {
    project: limit('project'),
    user: limit('user'),
    used: numberOf(objectAt(project, 'status', 'quotas', 'project', 'used')?.[quotaResource]),
    perOwner,
  };
}

/** Returns a merge patch with the changed limits; `undefined` removes a limit. */
export function quotaPatch(before: QuotaLimits, after: QuotaLimits): object {
  const part = (limit: number | undefined) => ({ [quotaResource]: limit ?? null });
  const parts = ({ project, user }: QuotaLimits) => ({ project: part(project), user: part(user) });
  return { spec: { quotas: changedMembers(parts(before), parts(after)) } };
}
