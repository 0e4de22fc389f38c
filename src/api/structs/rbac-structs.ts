import { free, list, needed, pointer, shown, shownList, struct, value } from './go-struct.ts';
import { labelSelector, objectMeta } from './meta-structs.ts';

const rbac = 'io.k8s.api.rbac.v1';

const policyRule = struct(`${rbac}.PolicyRule`, {
  verbs: shownList(1),
  apiGroups: list(2),
  resources: list(3),
  resourceNames: list(4),
  nonResourceURLs: list(5),
});

export const role = struct(`${rbac}.Role`, {
  metadata: value(1, objectMeta),
  rules: free(shownList(2, policyRule)),
});

const aggregationRule = struct(`${rbac}.AggregationRule`, { clusterRoleSelectors: list(1, labelSelector) });

export const clusterRole = struct(`${rbac}.ClusterRole`, {
  metadata: value(1, objectMeta),
  rules: free(shownList(2, policyRule)),
  aggregationRule: pointer(3, aggregationRule),
});

const subject = struct(`${rbac}.Subject`, { kind: shown(1), apiGroup: value(2), name: shown(3), namespace: value(4) });

const roleRef = struct(`${rbac}.RoleRef`, { apiGroup: free(shown(1)), kind: shown(2), name: shown(3) });

export const roleBinding = struct(`${rbac}.RoleBinding`, {
  metadata: value(1, objectMeta),
  subjects: list(2, subject),
  roleRef: needed(value(3, roleRef)),
});

export const clusterRoleBinding = struct(`${rbac}.ClusterRoleBinding`, {
  metadata: value(1, objectMeta),
  subjects: list(2, subject),
  roleRef: needed(value(3, roleRef)),
});
