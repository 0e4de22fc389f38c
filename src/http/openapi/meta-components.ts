import type { GroupVersionKind } from '../../api/meta.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { type MetaType, metaName, referringMember } from './component-names.ts';

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
  const { description: _, ...items } = referringMember(metaName(type), '');
  return { type: 'array', items, description, ...extensions };
}

function time(description: string): JsonObject {
  return referringMember(metaName('Time'), description, false);
}

const typeMeta: JsonObject = {
  apiVersion: optionalText('The version of the form in which this object is written, as group/version.'),
  kind: optionalText('What this object is.'),
};

const objectMeta: JsonObject = {
  type: 'object',
  description: 'What every stored object has: its name, its labels, and what the server keeps about it.',
  properties: {
    annotations: textMap('Notes of any kind for people and tools. They cannot be selected by.'),
    creationTimestamp: time('When the object was created. Set by the server.'),
    deletionGracePeriodSeconds: integer(
      'How many seconds the object has left once its deletion was asked for. Set by the server.',
    ),
    deletionTimestamp: time(
      'When the object will be removed; present once its deletion was asked for. Set by the server.',
    ),
    finalizers: {
      ...texts('What has to be done before the object may be removed; it stays until the list is empty.', 'set'),
      'x-kubernetes-patch-strategy': 'merge',
    },
    generateName: optionalText('The beginning of a name that the server completes, where no name is given.'),
    generation: integer('Goes up whenever what is wanted of the object changes. Set by the server.'),
    labels: textMap('Names and values that objects can be selected by.'),
    managedFields: listOf('ManagedFieldsEntry', 'Who set which fields. Kept by the server.', {
      'x-kubernetes-list-type': 'atomic',
    }),
    name: optionalText('Unique among the objects of its kind in a namespace, and fixed once it is created.'),
    namespace: optionalText('The namespace that the object lies in; kinds without namespaces have none.'),
    ownerReferences: listOf(
      'OwnerReference',
      'The objects that this one belongs to; it is deleted once all of them are gone.',
      {
        'x-kubernetes-list-map-keys': ['uid'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'uid',
        'x-kubernetes-patch-strategy': 'merge',
      },
    ),
    resourceVersion: optionalText(
      'The version of this very state of the object, for watches and for updates that must not overwrite others. Set by the server.',
    ),
    selfLink: optionalText('No longer filled in.'),
    uid: optionalText(
      'Unique over time and space: a later object of the same name has another one. Set by the server.',
    ),
  },
};

const listMeta: JsonObject = {
  type: 'object',
  description: 'What every list has.',
  properties: {
    continue: optionalText('Present when there is more: send it back to get the next part.'),
    remainingItemCount: integer('How many objects follow this part.'),
    resourceVersion: optionalText('The version of the list: a watch can start from here.'),
    selfLink: optionalText('No longer filled in.'),
  },
};

const managedFieldsEntry: JsonObject = {
  type: 'object',
  description: 'The fields that one manager has set.',
  properties: {
    apiVersion: optionalText('The version in which the fields are named.'),
    fieldsType: optionalText('The form of fieldsV1; always FieldsV1.'),
    fieldsV1: referringMember(metaName('FieldsV1'), 'The fields.', false),
    manager: optionalText('Who set them.'),
    operation: optionalText('Apply, or Update for every other way.'),
    subresource: optionalText('The subresource through which they were set.'),
    time: time('When the manager last changed them.'),
  },
};

const ownerReference: JsonObject = {
  type: 'object',
  description: 'An owner, in the same namespace or without one.',
  properties: {
    apiVersion: text('The API version of the owner.'),
    blockOwnerDeletion: flag('Whether the owner, deleted in the foreground, waits for this object.'),
    controller: flag('Whether the owner is the one controller of this object.'),
    kind: text('The kind of the owner.'),
    name: text('The name of the owner.'),
    uid: text('The uid of the owner: this counts, not the name.'),
  },
  required: ['apiVersion', 'kind', 'name', 'uid'],
  'x-kubernetes-map-type': 'atomic',
};

const status: JsonObject = {
  type: 'object',
  description: 'The outcome of a request that has no object to answer with.',
  properties: {
    ...typeMeta,
    code: integer('The HTTP status.', 'int32'),
    details: referringMember(metaName('StatusDetails'), 'More about what it concerns.', false),
    message: optionalText('A sentence for people.'),
    metadata: referringMember(metaName('ListMeta'), 'Where a list ended early, how to go on.'),
    reason: optionalText('A word for programs: NotFound, Conflict, Invalid and so on.'),
    status: optionalText('Success or Failure.'),
  },
};

const statusDetails: JsonObject = {
  type: 'object',
  description: 'What an outcome concerns.',
  properties: {
    causes: listOf('StatusCause', 'Every single thing that was wrong.', { 'x-kubernetes-list-type': 'atomic' }),
    group: optionalText('The API group.'),
    kind: optionalText('The kind, or its plural.'),
    name: optionalText('The name of the object.'),
    retryAfterSeconds: integer('When to try again.', 'int32'),
    uid: optionalText('The uid of the object.'),
  },
};

const statusCause: JsonObject = {
  type: 'object',
  description: 'One thing that was wrong.',
  properties: {
    field: optionalText('The field, as a path: spec.items[0].name.'),
    message: optionalText('A sentence for people.'),
    reason: optionalText('A word for programs: FieldValueInvalid and so on.'),
  },
};

const deleteOptions: JsonObject = {
  type: 'object',
  description: 'How to delete.',
  properties: {
    ...typeMeta,
    dryRun: texts('All: check everything, delete nothing.'),
    gracePeriodSeconds: integer('How many seconds the object keeps; 0 is at once.'),
    ignoreStoreReadErrorWithClusterBreakingPotential: flag('Delete also what cannot be read.'),
    orphanDependents: flag('The older form of propagationPolicy: true is Orphan.'),
    preconditions: referringMember(metaName('Preconditions'), 'What must hold, or nothing is deleted.', false),
    propagationPolicy: optionalText('What becomes of the objects it owns: Orphan, Background or Foreground.'),
  },
};

const preconditions: JsonObject = {
  type: 'object',
  description: 'What must hold, or nothing is done.',
  properties: {
    resourceVersion: optionalText('The version that the object must have.'),
    uid: optionalText('The uid that the object must have.'),
  },
};

const watchEvent: JsonObject = {
  type: 'object',
  description: 'One event of a watch.',
  properties: {
    object: {
      type: 'object',
      description: 'The object as it is now, as it last was if the type is DELETED, or a Status if the type is ERROR.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
    type: text('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.'),
  },
  required: ['type', 'object'],
};

const components: Readonly<Record<MetaType, JsonObject>> = {
  DeleteOptions: deleteOptions,
  FieldsV1: { type: 'object', description: 'A set of fields, as a tree of their names.' },
  ListMeta: listMeta,
  ManagedFieldsEntry: managedFieldsEntry,
  ObjectMeta: objectMeta,
  OwnerReference: ownerReference,
  Patch: { type: 'object', description: 'A change of an object, in the form that the content type names.' },
  Preconditions: preconditions,
  Status: status,
  StatusCause: statusCause,
  StatusDetails: statusDetails,
  Time: { type: 'string', format: 'date-time', description: 'A time as RFC 3339 text.' },
  WatchEvent: watchEvent,
};

/**
 * The types that all kinds share. Options and watch events are written in whichever group version is talked to, so
 * their components name all of those (rule OAPI-06).
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
    named[metaName(type)] =
      type === 'DeleteOptions' || type === 'WatchEvent'
        ? { ...component, 'x-kubernetes-group-version-kind': everywhere(type) }
        : type === 'Status'
          ? { ...component, 'x-kubernetes-group-version-kind': [{ group: '', kind: 'Status', version: 'v1' }] }
          : component;
  }
  return named;
}
