import type { KubeObject } from '../meta.ts';
import { roleGroup } from '../naming.ts';
import { clusterRoleKind } from './cluster-role.ts';
import { clusterRoleBindingKind } from './cluster-role-binding.ts';
import { rbacGroup } from './policy-rule.ts';

/**
 * The binding inside a virtual cluster that grants a cluster role to the callers to whom a gateway assigns it. Its name
 * is the group that it binds; names with this prefix are reserved for the server.
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
