import type { KubeObject } from '../meta.ts';
import { roleGroup } from '../naming.ts';
import { clusterRoleKind } from './cluster-role.ts';
import { clusterRoleBindingKind } from './cluster-role-binding.ts';
import { rbacGroup } from './policy-rule.ts';

/**
 * Returns the ClusterRoleBinding inside a virtual cluster that grants a cluster role to the group of that role. The
 * gateway adds callers to the group. The binding has the same name as the group, and names with the prefix of the group
 * are reserved.
 */
export function virtualClusterRoleBinding(role: string): KubeObject {
  const name = roleGroup(role);
  return {
    kind: clusterRoleBindingKind.kind,
    apiVersion: `${rbacGroup}/v1`,
    metadata: { name },
    subjects: [{ kind: 'Group', apiGroup: rbacGroup, name }],
    roleRef: { apiGroup: rbacGroup, kind: clusterRoleKind.kind, name: role },
  };
}
