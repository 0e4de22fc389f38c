import type { JsonObject } from '@flotilla/json';

function query(name: string, type: 'string' | 'integer' | 'boolean', description: string): JsonObject {
  return { name, in: 'query', description, schema: { type, uniqueItems: true } };
}

export const prettyParameter = query('pretty', 'string', 'If true, the response is indented.');

const dryRun = query('dryRun', 'string', 'If All, the request is validated but nothing is stored.');

const fieldManager = query(
  'fieldManager',
  'string',
  'The name of the manager that owns the fields set by this request.',
);

const fieldValidation = query(
  'fieldValidation',
  'string',
  'How to handle unknown and duplicate fields: Ignore drops them, Warn (the default) drops them with a warning, Strict rejects the request.',
);

export const resourceVersionParameter = query(
  'resourceVersion',
  'string',
  'The minimum version of the response; for a watch, the version to start after.',
);

export const selectionParameters: readonly JsonObject[] = [
  query('continue', 'string', 'The continue token of the previous page.'),
  query('fieldSelector', 'string', 'Selects objects by their fields.'),
  query('labelSelector', 'string', 'Selects objects by their labels.'),
  query('limit', 'integer', 'The maximum number of objects per response.'),
  resourceVersionParameter,
  query('resourceVersionMatch', 'string', 'How resourceVersion is applied: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Starts a watch with an event for every existing object.'),
  query('timeoutSeconds', 'integer', 'The timeout of a list or watch.'),
];

export const listParameters: readonly JsonObject[] = [
  query('allowWatchBookmarks', 'boolean', 'Allows bookmark events in a watch.'),
  ...selectionParameters,
  query('watch', 'boolean', 'Returns a stream of changes instead of a list.'),
];

export const writeParameters: readonly JsonObject[] = [dryRun, fieldManager, fieldValidation];

/** kubectl sends `fieldValidation` and `dryRun` only if a patch operation lists them (rules OAPI-10, OAPI-11). */
export const patchParameters: readonly JsonObject[] = [
  dryRun,
  fieldManager,
  fieldValidation,
  query('force', 'boolean', 'Lets apply take over fields that other managers own.'),
];

export const deleteParameters: readonly JsonObject[] = [
  dryRun,
  query('gracePeriodSeconds', 'integer', 'The seconds until the object is deleted; 0 deletes it immediately.'),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Deletes the object even if it cannot be read from the store.',
  ),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy.'),
  query('propagationPolicy', 'string', 'How dependent objects are deleted: Orphan, Background or Foreground.'),
];

function path(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, description, schema: { type: 'string', uniqueItems: true } };
}

export const nameParameter = path('name', 'The name of the object.');
export const namespaceParameter = path('namespace', 'The namespace of the object.');
