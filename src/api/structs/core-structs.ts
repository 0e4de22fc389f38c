import { alwaysPrinted, list, map, pointer, struct, value } from './go-struct.ts';
import { objectMeta } from './meta-structs.ts';

const core = 'io.k8s.api.core.v1';
const coordination = 'io.k8s.api.coordination.v1';

export const configMap = struct(`${core}.ConfigMap`, {
  metadata: value(1, objectMeta),
  immutable: pointer(4, 'bool'),
  data: map(2),
  binaryData: map(3, 'bytes'),
});

export const secret = struct(`${core}.Secret`, {
  metadata: value(1, objectMeta),
  immutable: pointer(5, 'bool'),
  data: map(2, 'bytes'),
  stringData: map(4),
  type: value(3),
});

export const objectReference = struct(`${core}.ObjectReference`, {
  kind: value(1),
  namespace: value(2),
  name: value(3),
  uid: value(4),
  apiVersion: value(5),
  resourceVersion: value(6),
  fieldPath: value(7),
});

const localObjectReference = struct(`${core}.LocalObjectReference`, { name: value(1) });

export const serviceAccount = struct(`${core}.ServiceAccount`, {
  metadata: value(1, objectMeta),
  secrets: list(2, objectReference),
  imagePullSecrets: list(3, localObjectReference),
  automountServiceAccountToken: pointer(4, 'bool'),
});

const scopedResourceSelectorRequirement = struct(`${core}.ScopedResourceSelectorRequirement`, {
  scopeName: alwaysPrinted(1),
  operator: alwaysPrinted(2),
  values: list(3),
});

const scopeSelector = struct(`${core}.ScopeSelector`, { matchExpressions: list(1, scopedResourceSelectorRequirement) });

const resourceQuotaSpec = struct(`${core}.ResourceQuotaSpec`, {
  hard: map(1, 'quantity'),
  scopes: list(2),
  scopeSelector: pointer(3, scopeSelector),
});

const resourceQuotaStatus = struct(`${core}.ResourceQuotaStatus`, {
  hard: map(1, 'quantity'),
  used: map(2, 'quantity'),
});

export const resourceQuota = struct(`${core}.ResourceQuota`, {
  metadata: value(1, objectMeta),
  spec: value(2, resourceQuotaSpec),
  status: value(3, resourceQuotaStatus),
});

const namespaceSpec = struct(`${core}.NamespaceSpec`, { finalizers: list(1) });

const namespaceCondition = struct(`${core}.NamespaceCondition`, {
  type: alwaysPrinted(1),
  status: alwaysPrinted(2),
  lastTransitionTime: value(4, 'time'),
  reason: value(5),
  message: value(6),
});

const namespaceStatus = struct(`${core}.NamespaceStatus`, { phase: value(1), conditions: list(2, namespaceCondition) });

export const namespace = struct(`${core}.Namespace`, {
  metadata: value(1, objectMeta),
  spec: value(2, namespaceSpec),
  status: value(3, namespaceStatus),
});

const leaseSpec = struct(`${coordination}.LeaseSpec`, {
  holderIdentity: pointer(1),
  leaseDurationSeconds: pointer(2, 'int32'),
  acquireTime: pointer(3, 'microTime'),
  renewTime: pointer(4, 'microTime'),
  leaseTransitions: pointer(5, 'int32'),
  strategy: pointer(6),
  preferredHolder: pointer(7),
});

export const lease = struct(`${coordination}.Lease`, {
  metadata: value(1, objectMeta),
  spec: value(2, leaseSpec),
});
