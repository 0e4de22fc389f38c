import { list, map, message, pointer, shown, value } from './message.ts';

const ownerReference = message({
  apiVersion: shown(5),
  kind: shown(1),
  name: shown(3),
  uid: shown(4),
  controller: pointer(6, 'bool'),
  blockOwnerDeletion: pointer(7, 'bool'),
});

const managedFieldsEntry = message({
  manager: value(1),
  operation: value(2),
  apiVersion: value(3),
  time: pointer(4, 'time'),
  fieldsType: value(6),
  fieldsV1: pointer(7, 'fieldsV1'),
  subresource: value(8),
});

export const objectMeta = message({
  name: value(1),
  generateName: value(2),
  namespace: value(3),
  selfLink: value(4),
  uid: value(5),
  resourceVersion: value(6),
  generation: value(7, 'int64'),
  creationTimestamp: value(8, 'time'),
  deletionTimestamp: pointer(9, 'time'),
  deletionGracePeriodSeconds: pointer(10, 'int64'),
  labels: map(11),
  annotations: map(12),
  ownerReferences: list(13, ownerReference),
  finalizers: list(14),
  managedFields: list(17, managedFieldsEntry),
});

export const listMeta = message({
  selfLink: value(1),
  resourceVersion: value(2),
  continue: value(3),
  remainingItemCount: pointer(4, 'int64'),
});

const statusDetails = message({
  name: value(1),
  group: value(2),
  kind: value(3),
  uid: value(6),
  causes: list(4, message({ reason: value(1), message: value(2), field: value(3) })),
  retryAfterSeconds: value(5, 'int32'),
});

export const status = message({
  metadata: value(1, listMeta),
  status: value(2),
  message: value(3),
  reason: value(4),
  details: pointer(5, statusDetails),
  code: value(6, 'int32'),
});

export const deleteOptions = message({
  gracePeriodSeconds: pointer(1, 'int64'),
  preconditions: pointer(2, message({ uid: pointer(1), resourceVersion: pointer(2) })),
  orphanDependents: pointer(3, 'bool'),
  propagationPolicy: pointer(4),
  dryRun: list(5),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(6, 'bool'),
});
