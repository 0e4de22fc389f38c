import {
  alwaysPrinted,
  alwaysPrintedList,
  list,
  markOptional,
  markRequired,
  pointer,
  struct,
  value,
} from './go-struct.ts';
import { labelSelector, objectMeta } from './meta-structs.ts';

const rbac = 'io.k8s.api.rbac.v1';

const policyRule = struct(`${rbac}.PolicyRule`, {
  verbs: alwaysPrintedList(1),
  apiGroups: list(2),
  resources: list(3),
  resourceNames: list(4),
  nonResourceURLs: list(5),
});

export const role = struct(`${rbac}.Role`, {
  metadata: value(1, objectMeta),
  rules: markOptional(alwaysPrintedList(2, policyRule)),
});

const aggregationRule = struct(`${rbac}.AggregationRule`, { clusterRoleSelectors: list(1, labelSelector) });

export const clusterRole = struct(`${rbac}.ClusterRole`, {
  metadata: value(1, objectMeta),
  rules: markOptional(alwaysPrintedList(2, policyRule)),
  aggregationRule: pointer(3, aggregationRule),
});

const subject = struct(`${rbac}.Subject`, {
  kind: alwaysPrinted(1),
  apiGroup: value(2),
  name: alwaysPrinted(3),
  namespace: value(4),
});

const roleRef = struct(`${rbac}.RoleRef`, {
  apiGroup: markOptional(alwaysPrinted(1)),
  kind: alwaysPrinted(2),
  name: alwaysPrinted(3),
});

export const roleBinding = struct(`${rbac}.RoleBinding`, {
  metadata: value(1, objectMeta),
  subjects: list(2, subject),
  roleRef: markRequired(value(3, roleRef)),
});

export const clusterRoleBinding = struct(`${rbac}.ClusterRoleBinding`, {
  metadata: value(1, objectMeta),
  subjects: list(2, subject),
  roleRef: markRequired(value(3, roleRef)),
});
