import { alwaysPrintedField, defineStruct, listField, mapField, pointerField, valueField } from './go-struct.ts';
import { objectMeta } from './meta-structs.ts';

const core = 'io.k8s.api.core.v1';
const coordination = 'io.k8s.api.coordination.v1';

export const configMap = defineStruct(`${core}.ConfigMap`, {
  metadata: valueField(1, objectMeta),
  immutable: pointerField(4, 'bool'),
  data: mapField(2),
  binaryData: mapField(3, 'bytes'),
});

export const secret = defineStruct(`${core}.Secret`, {
  metadata: valueField(1, objectMeta),
  immutable: pointerField(5, 'bool'),
  data: mapField(2, 'bytes'),
  stringData: mapField(4),
  type: valueField(3),
});

export const objectReference = defineStruct(`${core}.ObjectReference`, {
  kind: valueField(1),
  namespace: valueField(2),
  name: valueField(3),
  uid: valueField(4),
  apiVersion: valueField(5),
  resourceVersion: valueField(6),
  fieldPath: valueField(7),
});

const localObjectReference = defineStruct(`${core}.LocalObjectReference`, { name: valueField(1) });

export const serviceAccount = defineStruct(`${core}.ServiceAccount`, {
  metadata: valueField(1, objectMeta),
  secrets: listField(2, objectReference),
  imagePullSecrets: listField(3, localObjectReference),
  automountServiceAccountToken: pointerField(4, 'bool'),
});

const scopedResourceSelectorRequirement = defineStruct(`${core}.ScopedResourceSelectorRequirement`, {
  scopeName: alwaysPrintedField(1),
  operator: alwaysPrintedField(2),
  values: listField(3),
});

const scopeSelector = defineStruct(`${core}.ScopeSelector`, {
  matchExpressions: listField(1, scopedResourceSelectorRequirement),
});

const resourceQuotaSpec = defineStruct(`${core}.ResourceQuotaSpec`, {
  hard: mapField(1, 'quantity'),
  scopes: listField(2),
  scopeSelector: pointerField(3, scopeSelector),
});

const resourceQuotaStatus = defineStruct(`${core}.ResourceQuotaStatus`, {
  hard: mapField(1, 'quantity'),
  used: mapField(2, 'quantity'),
});

export const resourceQuota = defineStruct(`${core}.ResourceQuota`, {
  metadata: valueField(1, objectMeta),
  spec: valueField(2, resourceQuotaSpec),
  status: valueField(3, resourceQuotaStatus),
});

const namespaceSpec = defineStruct(`${core}.NamespaceSpec`, { finalizers: listField(1) });

const namespaceCondition = defineStruct(`${core}.NamespaceCondition`, {
  type: alwaysPrintedField(1),
  status: alwaysPrintedField(2),
  lastTransitionTime: valueField(4, 'time'),
  reason: valueField(5),
  message: valueField(6),
});

const namespaceStatus = defineStruct(`${core}.NamespaceStatus`, {
  phase: valueField(1),
  conditions: listField(2, namespaceCondition),
});

export const namespace = defineStruct(`${core}.Namespace`, {
  metadata: valueField(1, objectMeta),
  spec: valueField(2, namespaceSpec),
  status: valueField(3, namespaceStatus),
});

const leaseSpec = defineStruct(`${coordination}.LeaseSpec`, {
  holderIdentity: pointerField(1),
  leaseDurationSeconds: pointerField(2, 'int32'),
  acquireTime: pointerField(3, 'microTime'),
  renewTime: pointerField(4, 'microTime'),
  leaseTransitions: pointerField(5, 'int32'),
  strategy: pointerField(6),
  preferredHolder: pointerField(7),
});

export const lease = defineStruct(`${coordination}.Lease`, {
  metadata: valueField(1, objectMeta),
  spec: valueField(2, leaseSpec),
});
