import { equalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import type { SpaceBinding } from '../../api/management/space-roles.ts';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { hostOwnerLabel, spaceBindingName } from '../../api/naming.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { rbacGroup } from '../../api/rbac/policy-rule.ts';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import type { HostCallOptions } from '../host.ts';
import { createIfMissing, deleteByUid, findObject, ownerOf } from '../owned-object.ts';

export interface SpaceBindingsRequest {
  readonly namespace: string;
  readonly owner: string;
  readonly bindings: readonly SpaceBinding[];
  /** True if the namespace was just created. It then contains no bindings yet. */
  readonly isNew: boolean;
}

/**
 * Binds each cluster role to its groups in the namespace of a space. Removes the bindings of other roles that this
 * function created earlier for the same owner. Writes only bindings that are missing or different.
 */
export async function ensureSpaceBindings(
  hostClient: ApiClient,
  { namespace, owner, bindings, isNew }: SpaceBindingsRequest,
  call: HostCallOptions,
): Promise<void> {
  const client = hostClient.resource(roleBindingKind);
  const wanted = bindings.map((binding) => bindingObject(namespace, owner, binding));
  if (!isNew) {
    const kept = new Set(wanted.map(({ metadata }) => metadata.name));
    const { items } = await client.list({ namespace, labelSelector: `${hostOwnerLabel}=${owner}`, ...call });
    for (const object of items.filter(({ metadata }) => !kept.has(metadata.name ?? ''))) {
      await deleteByUid(client, { namespace, name: object.metadata.name ?? '' }, object, call);
    }
  }
  for (const object of wanted) {
    const key = { namespace, name: object.metadata.name ?? '' };
    const existing = isNew ? undefined : await findObject(client, key, call);
    if (existing === undefined) {
      await createIfMissing(client, object, call);
      continue;
    }
    const isSame = (member: string) => equalJson(memberOf(existing, member), memberOf(object, member));
    if (!isSame('roleRef')) {
      // The roleRef of a role binding is immutable, so the binding is deleted and created again.
      await deleteByUid(client, key, existing, call);
      await createIfMissing(client, object, call);
    } else if (!isSame('subjects') || ownerOf(existing) !== owner) {
      // Admins of the space can remove the owner label, so it is restored. A binding without this label would not be
      // removed after its role is no longer wanted.
      const { labels = {} } = object.metadata;
      await client.patch(key, { metadata: { labels }, subjects: memberOf(object, 'subjects') ?? [] }, call);
    }
  }
}

function memberOf(object: KubeObject, member: string): JsonValue | undefined {
  return (object as JsonObject)[member];
}

function bindingObject(namespace: string, owner: string, { clusterRole, groups }: SpaceBinding): KubeObject {
  return {
    apiVersion: apiVersionOf(roleBindingKind),
    kind: roleBindingKind.kind,
    metadata: { namespace, name: spaceBindingName(clusterRole), labels: { [hostOwnerLabel]: owner } },
    subjects: groups.map((name) => ({ apiGroup: rbacGroup, kind: 'Group', name })),
    roleRef: { apiGroup: rbacGroup, kind: clusterRoleKind.kind, name: clusterRole },
  };
}
