import type { FieldError } from '../../api/field-error.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type Draft, defineResource, type StoredResource } from '../../registry/resource.ts';
import { roleBindingErrors, setDefaultApiGroups } from './binding-rules.ts';
import { type RbacPolicyGetter, refuseBindingEscalation, refuseRoleEscalation } from './escalation.ts';
import { aggregatedRoleLimitErrors, clusterRoleErrors, roleErrors } from './role-rules.ts';

/** Properties of all RBAC kinds, as in Kubernetes: names may contain colons, and PUT creates missing objects. */
const shared = { hasStatus: false, nameRule: 'path-segment', unconditionalUpdate: true, createOnUpdate: true } as const;

interface RbacResourcesOptions {
  readonly policy: RbacPolicyGetter;
  /** Returns the number of aggregated cluster roles in the plane. */
  aggregatedRoleCount(): number;
  /** Hooks that make the update of aggregated cluster roles maintenance work. */
  readonly clusterRoleHooks?: Pick<StoredResource, 'requeues' | 'reconcile'>;
  /** Hooks that make the restoration of default objects maintenance work. */
  readonly clusterRoleBindingHooks?: Pick<StoredResource, 'reconcile'>;
}

/** The kinds Role, ClusterRole, RoleBinding and ClusterRoleBinding. Permissions are checked before validation. */
export function rbacResources(options: RbacResourcesOptions): readonly StoredResource[] {
  const { policy, aggregatedRoleCount, clusterRoleHooks, clusterRoleBindingHooks } = options;
  const errorsOfClusterRole: RoleValidation = (draft, context) => [
    ...clusterRoleErrors(draft.object),
    ...(context.system ? [] : aggregatedRoleLimitErrors(draft.object, draft.old?.object, aggregatedRoleCount())),
  ];
  return [
    roles(roleKind, ({ object }) => roleErrors(object), policy),
    { ...roles(clusterRoleKind, errorsOfClusterRole, policy), ...clusterRoleHooks },
    bindings(roleBindingKind, policy),
    { ...bindings(clusterRoleBindingKind, policy), ...clusterRoleBindingHooks },
  ];
}

type RoleValidation = (draft: Draft, context: RequestContext) => readonly FieldError[];

function roles(kind: ResourceKind, validate: RoleValidation, policy: RbacPolicyGetter): StoredResource {
  const resource: StoredResource = defineResource({
    ...kind,
    ...shared,
    prepare: (draft, context) => refuseRoleEscalation(resource, draft, context, policy),
    validate,
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
