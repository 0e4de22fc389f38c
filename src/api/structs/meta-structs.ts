import {
  alwaysPrintedField,
  defineStruct,
  listField,
  mapField,
  markRequired,
  omitEmptyField,
  pointerField,
  valueField,
} from './go-struct.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const ownerReference = defineStruct(`${meta}.OwnerReference`, {
  apiVersion: alwaysPrintedField(5),
  kind: alwaysPrintedField(1),
  name: alwaysPrintedField(3),
  uid: alwaysPrintedField(4),
  controller: pointerField(6, 'bool'),
  blockOwnerDeletion: pointerField(7, 'bool'),
});

const managedFieldsEntry = defineStruct(`${meta}.ManagedFieldsEntry`, {
  manager: valueField(1),
  operation: valueField(2),
  apiVersion: valueField(3),
  time: pointerField(4, 'time'),
  fieldsType: valueField(6),
  fieldsV1: pointerField(7, 'fieldsV1'),
  subresource: valueField(8),
});

export const objectMeta = defineStruct(`${meta}.ObjectMeta`, {
  name: valueField(1),
  generateName: valueField(2),
  namespace: valueField(3),
  selfLink: valueField(4),
  uid: valueField(5),
  resourceVersion: valueField(6),
  generation: valueField(7, 'int64'),
  creationTimestamp: omitEmptyField(8, 'time'),
  deletionTimestamp: pointerField(9, 'time'),
  deletionGracePeriodSeconds: pointerField(10, 'int64'),
  labels: mapField(11),
  annotations: mapField(12),
  ownerReferences: listField(13, ownerReference),
  finalizers: listField(14),
  managedFields: listField(17, managedFieldsEntry),
});

export const listMeta = defineStruct(`${meta}.ListMeta`, {
  selfLink: valueField(1),
  resourceVersion: valueField(2),
  continue: valueField(3),
  remainingItemCount: pointerField(4, 'int64'),
});

const statusCause = defineStruct(`${meta}.StatusCause`, {
  reason: valueField(1),
  message: valueField(2),
  field: valueField(3),
});

const statusDetails = defineStruct(`${meta}.StatusDetails`, {
  name: valueField(1),
  group: valueField(2),
  kind: valueField(3),
  uid: valueField(6),
  causes: listField(4, statusCause),
  retryAfterSeconds: valueField(5, 'int32'),
});

export const status = defineStruct(`${meta}.Status`, {
  metadata: valueField(1, listMeta),
  status: valueField(2),
  message: valueField(3),
  reason: valueField(4),
  details: pointerField(5, statusDetails),
  code: valueField(6, 'int32'),
});

const preconditions = defineStruct(`${meta}.Preconditions`, { uid: pointerField(1), resourceVersion: pointerField(2) });

export const deleteOptions = defineStruct(`${meta}.DeleteOptions`, {
  gracePeriodSeconds: pointerField(1, 'int64'),
  preconditions: pointerField(2, preconditions),
  orphanDependents: pointerField(3, 'bool'),
  propagationPolicy: pointerField(4),
  dryRun: listField(5),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointerField(6, 'bool'),
});

export const labelSelectorRequirement = defineStruct(`${meta}.LabelSelectorRequirement`, {
  key: alwaysPrintedField(1),
  operator: alwaysPrintedField(2),
  values: listField(3),
});

export const labelSelector = defineStruct(`${meta}.LabelSelector`, {
  matchLabels: mapField(1),
  matchExpressions: listField(2, labelSelectorRequirement),
});

export const condition = defineStruct(`${meta}.Condition`, {
  type: alwaysPrintedField(1),
  status: alwaysPrintedField(2),
  observedGeneration: valueField(3, 'int64'),
  lastTransitionTime: markRequired(valueField(4, 'time')),
  reason: alwaysPrintedField(5),
  message: alwaysPrintedField(6),
});
