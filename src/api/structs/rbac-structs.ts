import {
  alwaysPrintedField,
  alwaysPrintedList,
  defineStruct,
  listField,
  markOptional,
  markRequired,
  pointerField,
  valueField,
} from './go-struct.ts';
import { labelSelector, objectMeta } from './meta-structs.ts';

const rbac = 'io.k8s.api.rbac.v1';

const policyRule = defineStruct(`${rbac}.PolicyRule`, {
  verbs: alwaysPrintedList(1),
  apiGroups: listField(2),
  resources: listField(3),
  resourceNames: listField(4),
  nonResourceURLs: listField(5),
});

export const role = defineStruct(`${rbac}.Role`, {
  metadata: valueField(1, objectMeta),
  rules: markOptional(alwaysPrintedList(2, policyRule)),
});

const aggregationRule = defineStruct(`${rbac}.AggregationRule`, { clusterRoleSelectors: listField(1, labelSelector) });

export const clusterRole = defineStruct(`${rbac}.ClusterRole`, {
  metadata: valueField(1, objectMeta),
  rules: markOptional(alwaysPrintedList(2, policyRule)),
  aggregationRule: pointerField(3, aggregationRule),
});

const subject = defineStruct(`${rbac}.Subject`, {
  kind: alwaysPrintedField(1),
  apiGroup: valueField(2),
  name: alwaysPrintedField(3),
  namespace: valueField(4),
});

const roleRef = defineStruct(`${rbac}.RoleRef`, {
  apiGroup: markOptional(alwaysPrintedField(1)),
  kind: alwaysPrintedField(2),
  name: alwaysPrintedField(3),
});

export const roleBinding = defineStruct(`${rbac}.RoleBinding`, {
  metadata: valueField(1, objectMeta),
  subjects: listField(2, subject),
  roleRef: markRequired(valueField(3, roleRef)),
});

export const clusterRoleBinding = defineStruct(`${rbac}.ClusterRoleBinding`, {
  metadata: valueField(1, objectMeta),
  subjects: listField(2, subject),
  roleRef: markRequired(valueField(3, roleRef)),
});
