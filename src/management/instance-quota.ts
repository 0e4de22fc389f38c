import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { projectNamespace } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { valueAt } from '../lib/json-path.ts';
import type { Draft } from '../registry/resource.ts';
import { ownerKey } from './instance-index.ts';
import { quotaLimit } from './quota-limit.ts';
import type { ManagementState } from './state.ts';

const counted = virtualClusterInstanceKind.plural;

/** Enforces the maximum number of instances per project and per owner. Throws 403. */
export function checkInstanceQuota(
  draft: Draft,
  project: KubeObject,
  state: Pick<ManagementState, 'instance' | 'instanceCount' | 'instancesOwnedBy'>,
): void {
  const { object, old } = draft;
  const owner = ownerKey(object);
  const ofProject = quotaLimit(valueAt(project, 'spec', 'quotas', 'project', counted));
  const ofOwner = quotaLimit(valueAt(project, 'spec', 'quotas', 'user', counted));
  const isNew = old === undefined;
  const changesOwner = owner !== '' && (isNew || owner !== ownerKey(old.object));
  if (!(isNew && ofProject !== undefined) && !(changesOwner && ofOwner !== undefined)) return;

  const { name = '' } = project.metadata;
  const present = state.instance(projectNamespace(name), object.metadata.name ?? '');
  const inProject = state.instanceCount(name) - (present === undefined ? 0 : 1);
  const owned = state.instancesOwnedBy(name, owner) - (present !== undefined && ownerKey(present) === owner ? 1 : 0);
  if (isNew) refuseBeyond(draft, `project "${name}"`, inProject, ofProject);
  if (changesOwner) refuseBeyond(draft, owner, owned, ofOwner);
}

/** True if the project limits the number of instances. */
export function hasQuotas(project: KubeObject | undefined): boolean {
  return ['project', 'user'].some((which) => valueAt(project, 'spec', 'quotas', which, counted) !== undefined);
}

function refuseBeyond(draft: Draft, of: string, used: number, limit: number | undefined): void {
  if (limit === undefined || used < limit) return;
  throw forbidden(
    groupResourceOf(virtualClusterInstanceKind),
    draft.object.metadata.name ?? '',
    `exceeded quota of ${of}, requested: ${counted}=1, used: ${counted}=${used}, limited: ${counted}=${limit}`,
  );
}
