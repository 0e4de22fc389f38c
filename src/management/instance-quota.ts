import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { textAt, valueAt } from '../lib/json-path.ts';
import type { Draft } from '../registry/resource.ts';
import { quotaLimit } from './quota-limit.ts';
import type { ManagementState } from './state.ts';

const counted = virtualClusterInstanceKind.plural;

/** How many instances a project and each of its owners may have: 403 beyond that. */
export function checkInstanceQuota(
  draft: Draft,
  project: KubeObject,
  state: Pick<ManagementState, 'instancesOf'>,
): void {
  const { object, old } = draft;
  const owner = ownerKey(object);
  const ofProject = quotaLimit(valueAt(project, 'spec', 'quotas', 'project', counted));
  const ofOwner = quotaLimit(valueAt(project, 'spec', 'quotas', 'user', counted));
  const isNew = old === undefined;
  const changesOwner = owner !== '' && (isNew || owner !== ownerKey(old.object));
  if (!(isNew && ofProject !== undefined) && !(changesOwner && ofOwner !== undefined)) return;

  let inProject = 0;
  let owned = 0;
  for (const instance of state.instancesOf(project.metadata.name ?? '')) {
    if (instance.metadata.name === object.metadata.name) continue;
    inProject++;
    if (ownerKey(instance) === owner) owned++;
  }
  if (isNew) refuseBeyond(draft, `project "${project.metadata.name}"`, inProject, ofProject);
  if (changesOwner) refuseBeyond(draft, owner, owned, ofOwner);
}

/** Whether creates in this project are counted at all. */
export function hasQuotas(project: KubeObject | undefined): boolean {
  return ['project', 'user'].some((which) => valueAt(project, 'spec', 'quotas', which, counted) !== undefined);
}

function ownerKey(instance: KubeObject): string {
  const user = textAt(instance, 'spec', 'owner', 'user');
  if (user !== '') return `user "${user}"`;
  const team = textAt(instance, 'spec', 'owner', 'team');
  return team === '' ? '' : `team "${team}"`;
}

function refuseBeyond(draft: Draft, of: string, used: number, limit: number | undefined): void {
  if (limit === undefined || used < limit) return;
  throw forbidden(
    groupResourceOf(virtualClusterInstanceKind),
    draft.object.metadata.name ?? '',
    `exceeded quota of ${of}, requested: ${counted}=1, used: ${counted}=${used}, limited: ${counted}=${limit}`,
  );
}
