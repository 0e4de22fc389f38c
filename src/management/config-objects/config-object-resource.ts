import { isJsonObject } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { callerOf, ownerOf } from '../../auth/authz/caller.ts';
import { recordConfigOwner } from '../../auth/authz/config-objects.ts';
import { storedConfigMaps } from '../../controlplane/core/config-maps.ts';
import { storedSecrets } from '../../controlplane/core/secrets.ts';
import { needsAwait } from '../../lib/maybe-promise.ts';
import type { Draft, StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { requireDeletePermission, requireOwnerReferencePermission } from '../field-permissions.ts';
import { projectOfDraft } from '../rules/project-of-draft.ts';
import type { ManagementState } from '../state.ts';
import { checkConfigQuota } from './config-quota.ts';

type Dependencies = Pick<ManagementDependencies, 'state' | 'settings'>;

/** The Secrets of projects. Their rows are sealed, as in virtual clusters. */
export function projectSecretResource({
  sealer,
  ...dependencies
}: Dependencies & Pick<ManagementDependencies, 'sealer'>): StoredResource {
  return inProjects(storedSecrets(sealer), dependencies);
}

/** The ConfigMaps of projects. */
export function projectConfigMapResource(dependencies: Dependencies): StoredResource {
  return inProjects(storedConfigMaps, dependencies);
}

/** Restricts a core kind to the namespaces of projects. Adds owners and the quota of the project. */
function inProjects(resource: StoredResource, { state, settings }: Dependencies): StoredResource {
  return {
    ...resource,
    sizeErrors: keyLimitErrors,
    async prepare(draft, context, subresource) {
      const project = projectOfDraft(resource, draft, state);
      await requireOwnerReferencePermission(resource, draft, context);
      if (draft.old === undefined) recordConfigOwner(draft.hidden, ownerOf(callerOf(context.user)));
      await resource.prepare?.(draft, context, subresource);
      if (project === undefined) return;
      if (draft.old === undefined) requireUnchangedNamespace(draft, state);
      const checking = checkConfigQuota({ kind: resource, draft, project }, context, { state, settings });
      if (needsAwait(checking)) await checking;
    },
    // The requests that create objects in one project run one after another, because concurrent creates could exceed
    // the quota.
    createQueue: (_sent, context) => context.namespace,
    guardDelete: (record, context) => requireDeletePermission(resource, record, context),
  };
}

/**
 * The maximum number of keys in `data`, `binaryData` or `stringData`. The main thread serves these objects, and a write
 * takes longer the more keys an object has.
 */
const maxKeys = 1_000;

/** Returns an error if there are too many keys and the write increases their number. */
function keyLimitErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  return keyMembers.flatMap((members) => {
    const count = keyCount(object, members);
    if (count <= maxKeys || (old !== undefined && count <= keyCount(old, members))) return [];
    const member = members.find((one) => keyCount(object, [one]) > maxKeys) ?? members[0];
    return [forbiddenField(member, `may have at most ${maxKeys} keys, but has ${count}`)];
  });
}

/**
 * Groups of members whose keys are counted together. `stringData` of a Secret is counted with `data`, because it is
 * added to `data` when the Secret is stored.
 */
const keyMembers = [['data', 'stringData'], ['binaryData']] as const;

function keyCount(object: KubeObject, members: readonly string[]): number {
  const maps = members.map((member) => object[member]).filter(isJsonObject);
  return new Set(maps.flatMap((map) => Object.keys(map))).size;
}

/** Adds a check to a create. The create fails if the deletion of the project starts before the new object is stored. */
function requireUnchangedNamespace(draft: Draft, state: ManagementState): void {
  const check = state.namespaceUnchanged(draft.object.metadata.namespace ?? '');
  if (check !== undefined) draft.requires = [check];
}
