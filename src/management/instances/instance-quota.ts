import type { Project } from '../../api/management/v1/project.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { projectNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { InstanceDraft } from '../drafts.ts';
import type { ManagementState } from '../state.ts';
import { ownerKey } from './instance-index.ts';
import { quotaLimit } from './quota-limit.ts';

const counted = virtualClusterInstanceKind.plural;

/** Throws 403 if the project or the owner already has the maximum number of instances. */
export function checkInstanceQuota(
  draft: InstanceDraft,
  project: Project,
  state: Pick<ManagementState, 'instance' | 'instanceCount' | 'instancesOwnedBy'>,
): void {
  const { object, old } = draft;
  const owner = ownerKey(object);
  const ofProject = quotaLimit(project.spec?.quotas?.project?.[counted]);
  const ofOwner = quotaLimit(project.spec?.quotas?.user?.[counted]);
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

/** True if the project sets a quota for instances. */
export function hasQuotas(project: Project | undefined): boolean {
  const { project: ofProject, user: ofOwner } = project?.spec?.quotas ?? {};
  return ofProject?.[counted] !== undefined || ofOwner?.[counted] !== undefined;
}

function refuseBeyond(draft: InstanceDraft, of: string, used: number, limit: number | undefined): void {
  if (limit === undefined || used < limit) return;
  throw forbidden(
    groupResourceOf(virtualClusterInstanceKind),
    draft.object.metadata.name ?? '',
    `exceeded quota of ${of}, requested: ${counted}=1, used: ${counted}=${used}, limited: ${counted}=${limit}`,
  );
}
