import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import { roleBindingErrors, setDefaultApiGroups } from './binding-rules.ts';
import { type RbacPolicyGetter, refuseBindingEscalation, refuseRoleEscalation } from './escalation.ts';
import { clusterRoleErrors, roleErrors } from './role-rules.ts';

/** Properties of all RBAC kinds, as in Kubernetes: names may contain colons, and PUT creates missing objects. */
const shared = { hasStatus: false, nameRule: 'path-segment', unconditionalUpdate: true, createOnUpdate: true } as const;

/** The kinds Role, ClusterRole, RoleBinding and ClusterRoleBinding. Permissions are checked before validation. */
export function rbacResources(policy: RbacPolicyGetter): readonly StoredResource[] {
  return [
    roles(roleKind, roleErrors, policy),
    roles(clusterRoleKind, clusterRoleErrors, policy),
    bindings(roleBindingKind, policy),
    bindings(clusterRoleBindingKind, policy),
  ];
}

function roles(kind: ResourceKind, errorsOf: typeof roleErrors, policy: RbacPolicyGetter): StoredResource {
  const resource: StoredResource = defineResource({
    ...kind,
    ...shared,
    prepare: (draft, context) => refuseRoleEscalation(resource, draft, context, policy),
    validate: ({ object }) => errorsOf(object),
  });
  return resource;
}

function bindings(kind: ResourceKind, policy: RbacPolicyGetter): StoredResource {
  const resource: StoredResource = defineResource({
    ...kind,
    ...shared,
    async prepare(draft, context) {
      setDefaultApiGroups(draft.object);
      await refuseBindingEscalation(resource, draft, context, policy);
    },
    validate: ({ object, old }) => roleBindingErrors(kind, object, old?.object),
  });
  return resource;
}
