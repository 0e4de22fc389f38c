import type { JsonObject } from '../../lib/json-value.ts';

function query(name: string, type: 'string' | 'integer' | 'boolean', description: string): JsonObject {
  return { name, in: 'query', description, schema: { type, uniqueItems: true } };
}

export const prettyParameter = query('pretty', 'string', 'If true, the answer is indented.');

const dryRun = query('dryRun', 'string', 'All: everything is checked and nothing is stored.');

const fieldManager = query(
  'fieldManager',
  'string',
  'The name under which the fields are owned that this request sets.',
);

const fieldValidation = query(
  'fieldValidation',
  'string',
  'What becomes of unknown and doubled fields: Ignore drops them, Warn (the default) drops them with a warning, Strict refuses the request.',
);

export const resourceVersionParameter = query(
  'resourceVersion',
  'string',
  'How fresh the answer must be; for a watch, where it starts.',
);

export const selectionParameters: readonly JsonObject[] = [
  query('continue', 'string', 'From the list before: go on where it ended.'),
  query('fieldSelector', 'string', 'Only objects whose fields have these values.'),
  query('labelSelector', 'string', 'Only objects with these labels.'),
  query('limit', 'integer', 'At most this many objects in one answer.'),
  resourceVersionParameter,
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'A watch begins with an event for every object that exists.'),
  query('timeoutSeconds', 'integer', 'How long a list or a watch may take.'),
];

export const listParameters: readonly JsonObject[] = [
  query('allowWatchBookmarks', 'boolean', 'A watch may send bookmarks.'),
  ...selectionParameters,
  query('watch', 'boolean', 'Instead of a list, a stream of changes.'),
];

export const writeParameters: readonly JsonObject[] = [dryRun, fieldManager, fieldValidation];

/** `fieldValidation` and `dryRun` are what kubectl looks for before it sends them (rules OAPI-10, OAPI-11). */
export const patchParameters: readonly JsonObject[] = [
  dryRun,
  fieldManager,
  fieldValidation,
  query('force', 'boolean', 'Apply takes over fields that others own.'),
];

export const deleteParameters: readonly JsonObject[] = [
  dryRun,
  query('gracePeriodSeconds', 'integer', 'How many seconds the object keeps; 0 is at once.'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean', 'Delete also what cannot be read.'),
  query('orphanDependents', 'boolean', 'The older form of propagationPolicy.'),
  query('propagationPolicy', 'string', 'What becomes of the objects it owns: Orphan, Background or Foreground.'),
];

function path(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, description, schema: { type: 'string', uniqueItems: true } };
}

export const nameParameter = path('name', 'The name of the object.');
export const namespaceParameter = path('namespace', 'The namespace of the object.');
