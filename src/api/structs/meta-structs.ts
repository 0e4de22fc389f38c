import { alwaysPrinted, list, map, markRequired, omitEmpty, pointer, struct, value } from './go-struct.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const ownerReference = struct(`${meta}.OwnerReference`, {
  apiVersion: alwaysPrinted(5),
  kind: alwaysPrinted(1),
  name: alwaysPrinted(3),
  uid: alwaysPrinted(4),
  controller: pointer(6, 'bool'),
  blockOwnerDeletion: pointer(7, 'bool'),
});

const managedFieldsEntry = struct(`${meta}.ManagedFieldsEntry`, {
  manager: value(1),
  operation: value(2),
  apiVersion: value(3),
  time: pointer(4, 'time'),
  fieldsType: value(6),
  fieldsV1: pointer(7, 'fieldsV1'),
  subresource: value(8),
});

export const objectMeta = struct(`${meta}.ObjectMeta`, {
  name: value(1),
  generateName: value(2),
  namespace: value(3),
  selfLink: value(4),
  uid: value(5),
  resourceVersion: value(6),
  generation: value(7, 'int64'),
  creationTimestamp: omitEmpty(8, 'time'),
  deletionTimestamp: pointer(9, 'time'),
  deletionGracePeriodSeconds: pointer(10, 'int64'),
  labels: map(11),
  annotations: map(12),
  ownerReferences: list(13, ownerReference),
  finalizers: list(14),
  managedFields: list(17, managedFieldsEntry),
});

export const listMeta = struct(`${meta}.ListMeta`, {
  selfLink: value(1),
  resourceVersion: value(2),
  continue: value(3),
  remainingItemCount: pointer(4, 'int64'),
});

const statusCause = struct(`${meta}.StatusCause`, { reason: value(1), message: value(2), field: value(3) });

const statusDetails = struct(`${meta}.StatusDetails`, {
  name: value(1),
  group: value(2),
  kind: value(3),
  uid: value(6),
  causes: list(4, statusCause),
  retryAfterSeconds: value(5, 'int32'),
});

export const status = struct(`${meta}.Status`, {
  metadata: value(1, listMeta),
  status: value(2),
  message: value(3),
  reason: value(4),
  details: pointer(5, statusDetails),
  code: value(6, 'int32'),
});

const preconditions = struct(`${meta}.Preconditions`, { uid: pointer(1), resourceVersion: pointer(2) });

export const deleteOptions = struct(`${meta}.DeleteOptions`, {
  gracePeriodSeconds: pointer(1, 'int64'),
  preconditions: pointer(2, preconditions),
  orphanDependents: pointer(3, 'bool'),
  propagationPolicy: pointer(4),
  dryRun: list(5),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(6, 'bool'),
});

export const labelSelectorRequirement = struct(`${meta}.LabelSelectorRequirement`, {
  key: alwaysPrinted(1),
  operator: alwaysPrinted(2),
  values: list(3),
});

export const labelSelector = struct(`${meta}.LabelSelector`, {
  matchLabels: map(1),
  matchExpressions: list(2, labelSelectorRequirement),
});

export const condition = struct(`${meta}.Condition`, {
  type: alwaysPrinted(1),
  status: alwaysPrinted(2),
  observedGeneration: value(3, 'int64'),
  lastTransitionTime: markRequired(value(4, 'time')),
  reason: alwaysPrinted(5),
  message: alwaysPrinted(6),
});
