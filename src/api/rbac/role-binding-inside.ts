import type { KubeObject } from '../meta.ts';
import { roleGroup } from '../naming.ts';
import { clusterRoleKind } from './cluster-role.ts';
import { clusterRoleBindingKind } from './cluster-role-binding.ts';
import { rbacGroup } from './policy-rule.ts';

/**
 * What gives a cluster role of a virtual cluster to whom a gateway lets in with it. It is named after the group that it is
 * for: names that begin like this are the server's own.
 */
export function roleBindingInside(role: string): KubeObject {
  const name = roleGroup(role);
  return {
    kind: clusterRoleBindingKind.kind,
    apiVersion: `${rbacGroup}/v1`,
    metadata: { name },
    subjects: [{ kind: 'Group', apiGroup: rbacGroup, name }],
    roleRef: { apiGroup: rbacGroup, kind: clusterRoleKind.kind, name: role },
  };
}
