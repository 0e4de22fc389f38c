import type { JsonObject } from '@flotilla/json';
import type { GroupVersionKind } from '../../api/meta.ts';
import { type MetaType, metaComponentName, referenceProperty } from './component-names.ts';

function text(description: string): JsonObject {
  return { type: 'string', description, default: '' };
}

function optionalText(description: string): JsonObject {
  return { type: 'string', description };
}

function integer(description: string, format: 'int32' | 'int64' = 'int64'): JsonObject {
  return { type: 'integer', format, description };
}

function flag(description: string): JsonObject {
  return { type: 'boolean', description };
}

function texts(description: string, listType: 'atomic' | 'set' = 'atomic'): JsonObject {
  return { type: 'array', items: { type: 'string', default: '' }, description, 'x-kubernetes-list-type': listType };
}

function textMap(description: string): JsonObject {
  return { type: 'object', additionalProperties: { type: 'string', default: '' }, description };
}

function listOf(type: MetaType, description: string, extensions: JsonObject = {}): JsonObject {
  const { description: _, ...items } = referenceProperty(metaComponentName(type), '');
  return { type: 'array', items, description, ...extensions };
}

function time(description: string): JsonObject {
  return referenceProperty(metaComponentName('Time'), description, false);
}

const typeMeta: JsonObject = {
  apiVersion: optionalText('The API version of this object, as group/version.'),
  kind: optionalText('The kind of this object.'),
};

const objectMeta: JsonObject = {
  type: 'object',
  description: 'Metadata that every stored object has.',
  properties: {
    annotations: textMap('Arbitrary metadata for people and tools. Selectors do not match annotations.'),
    creationTimestamp: time('CreationTimestamp is a timestamp of the creation of the object. Set by the server.'),
    deletionGracePeriodSeconds: integer(
      'The seconds from the deletion request until the object is removed. Set by the server.',
    ),
    deletionTimestamp: time(
      'The time at which the object will be removed. Set by the server when deletion is requested.',
    ),
    finalizers: {
      ...texts('The finalizers of the object. It is removed only when the list is empty.', 'set'),
      'x-kubernetes-patch-strategy': 'merge',
    },
    generateName: optionalText('A prefix from which the server generates a unique name if no name is given.'),
    generation: integer('Incremented whenever the desired state changes. Set by the server.'),
    labels: textMap('Keys and values by which objects can be selected.'),
    managedFields: listOf('ManagedFieldsEntry', 'The managers of each field. Maintained by the server.', {
      'x-kubernetes-list-type': 'atomic',
    }),
    name: optionalText('The name, unique within its kind and namespace. Cannot be changed.'),
    namespace: optionalText('The namespace of the object; empty for cluster-scoped kinds.'),
    ownerReferences: listOf(
      'OwnerReference',
      'The owners of this object. It is deleted when all of them have been deleted.',
      {
        'x-kubernetes-list-map-keys': ['uid'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'uid',
        'x-kubernetes-patch-strategy': 'merge',
      },
    ),
    resourceVersion: optionalText(
      'The version of this state of the object, for watches and optimistic concurrency. Set by the server.',
    ),
    selfLink: optionalText('Deprecated: no longer set.'),
    uid: optionalText(
      'The unique ID of the object. A later object of the same name has a different one. Set by the server.',
    ),
  },
};

const listMeta: JsonObject = {
  type: 'object',
  description: 'Metadata that every list has.',
  properties: {
    continue: optionalText('The token for the next page; set if there are more objects.'),
    remainingItemCount: integer('The number of objects after this page.'),
    resourceVersion: optionalText('The version of the list, from which a watch can start.'),
    selfLink: optionalText('Deprecated: no longer set.'),
  },
};

const managedFieldsEntry: JsonObject = {
  type: 'object',
  description: 'The fields that one manager owns.',
  properties: {
    apiVersion: optionalText('The API version of the field names.'),
    fieldsType: optionalText('The format of fieldsV1; always FieldsV1.'),
    fieldsV1: referenceProperty(metaComponentName('FieldsV1'), 'The fields.', false),
    manager: optionalText('The name of the manager.'),
    operation: optionalText('Apply for server-side apply; Update for every other write.'),
    subresource: optionalText('The subresource through which the fields were set.'),
    time: time('The time of the last change by the manager.'),
  },
};

const ownerReference: JsonObject = {
  type: 'object',
  description: 'A reference to an owner in the same namespace, or to a cluster-scoped owner.',
  properties: {
    apiVersion: text('The API version of the owner.'),
    blockOwnerDeletion: flag('If true, foreground deletion of the owner waits for this object.'),
    controller: flag('If true, the owner is the managing controller of this object.'),
    kind: text('The kind of the owner.'),
    name: text('The name of the owner.'),
    uid: text('The UID of the owner, which identifies it.'),
  },
  required: ['apiVersion', 'kind', 'name', 'uid'],
  'x-kubernetes-map-type': 'atomic',
};

const status: JsonObject = {
  type: 'object',
  description: 'The result of a request that does not return another object.',
  properties: {
    ...typeMeta,
    code: integer('The HTTP status code.', 'int32'),
    details: referenceProperty(metaComponentName('StatusDetails'), 'Details about the object and the error.', false),
    message: optionalText('A human-readable message.'),
    metadata: referenceProperty(metaComponentName('ListMeta'), 'Standard list metadata.'),
    reason: optionalText('A machine-readable reason, such as NotFound, Conflict or Invalid.'),
    status: optionalText('Success or Failure.'),
  },
};

const statusDetails: JsonObject = {
  type: 'object',
  description: 'Details about the object and the error.',
  properties: {
    causes: listOf('StatusCause', 'All errors.', { 'x-kubernetes-list-type': 'atomic' }),
    group: optionalText('The API group.'),
    kind: optionalText('The kind, or the resource name.'),
    name: optionalText('The name of the object.'),
    retryAfterSeconds: integer('The seconds to wait before a retry.', 'int32'),
    uid: optionalText('The UID of the object.'),
  },
};

const statusCause: JsonObject = {
  type: 'object',
  description: 'One error.',
  properties: {
    field: optionalText('The path of the field, such as spec.items[0].name.'),
    message: optionalText('A human-readable message.'),
    reason: optionalText('A machine-readable reason, such as FieldValueInvalid.'),
  },
};

const deleteOptions: JsonObject = {
  type: 'object',
  description: 'Options of a delete request.',
  properties: {
    ...typeMeta,
    dryRun: texts('If All, the request is validated but nothing is deleted.'),
    gracePeriodSeconds: integer('The seconds until the object is deleted; 0 deletes it immediately.'),
    ignoreStoreReadErrorWithClusterBreakingPotential: flag(
      'Deletes the object even if it cannot be read from the store.',
    ),
    orphanDependents: flag('Deprecated: use propagationPolicy. True means Orphan.'),
    preconditions: referenceProperty(
      metaComponentName('Preconditions'),
      'Conditions on the current object. The request fails if one of them is not met.',
      false,
    ),
    propagationPolicy: optionalText('How dependent objects are deleted: Orphan, Background or Foreground.'),
  },
};

const preconditions: JsonObject = {
  type: 'object',
  description: 'Conditions on the current object. The request fails if one of them is not met.',
  properties: {
    resourceVersion: optionalText('The required resourceVersion.'),
    uid: optionalText('The required UID.'),
  },
};

const watchEvent: JsonObject = {
  type: 'object',
  description: 'One event of a watch.',
  properties: {
    object: {
      type: 'object',
      description:
        'The new state of the object, its last state if the type is DELETED, or a Status if the type is ERROR.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
    type: text('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.'),
  },
  required: ['type', 'object'],
};

const components: Readonly<Record<MetaType, JsonObject>> = {
  DeleteOptions: deleteOptions,
  FieldsV1: { type: 'object', description: 'A set of fields, represented as a tree of field names.' },
  ListMeta: listMeta,
  ManagedFieldsEntry: managedFieldsEntry,
  ObjectMeta: objectMeta,
  OwnerReference: ownerReference,
  Patch: { type: 'object', description: 'A patch. The Content-Type header determines its format.' },
  Preconditions: preconditions,
  Status: status,
  StatusCause: statusCause,
  StatusDetails: statusDetails,
  Time: { type: 'string', format: 'date-time', description: 'An RFC 3339 timestamp.' },
  WatchEvent: watchEvent,
};

/**
 * Returns the OpenAPI components of the types that all kinds use. DeleteOptions and WatchEvent exist in every group
 * version, so their components list all group versions (rule OAPI-06).
 */
export function metaComponents(groupVersions: readonly Omit<GroupVersionKind, 'kind'>[]): JsonObject {
  const everywhere = (kind: string) =>
    [{ group: '', version: 'v1' }, ...groupVersions.filter(({ group }) => group !== '')].map(({ group, version }) => ({
      group,
      kind,
      version,
    }));
  const named: JsonObject = {};
  for (const [type, component] of Object.entries(components) as [MetaType, JsonObject][]) {
    named[metaComponentName(type)] =
      type === 'DeleteOptions' || type === 'WatchEvent'
        ? { ...component, 'x-kubernetes-group-version-kind': everywhere(type) }
        : type === 'Status'
          ? { ...component, 'x-kubernetes-group-version-kind': [{ group: '', kind: 'Status', version: 'v1' }] }
          : component;
  }
  return named;
}
