import { managerName } from '@flotilla/field-ownership';
import type { FieldError } from '../../api/field-error.ts';
import { invalidObject } from '../../api/status.ts';
import {
  type SentListOptions,
  validateListOptions,
  validatePatchOptions,
  validateWatchOptions,
  validateWriteOptions,
} from '../../api/validation/options.ts';
import type {
  FieldValidation,
  GetOptions,
  ListOptions,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from '../../registry/verbs.ts';
import { queryFlag } from './query-flag.ts';
import { queryInteger } from './query-integer.ts';
import { readSelectors, type SelectableKind } from './query-selectors.ts';

/*
 * Query parameters are parsed first (400), then validated (422), before any body is decoded (rules REQ-27, REQ-28).
 * Unknown parameters are ignored (rule REQ-22).
 */

/**
 * Throws 422 if there are errors in an options object. An options object has no name, so the message contains an empty
 * name.
 */
export function rejectInvalidOptions(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors);
}

export function readGetOptions(query: URLSearchParams): GetOptions {
  return { resourceVersion: query.get('resourceVersion') ?? '', parameters: query };
}

/** Parses the options of a create or update. The manager defaults to the start of the user agent (rule CREATE-08). */
export function readWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions',
  userAgent: string | undefined,
): WriteOptions {
  const sent = sentWriteOptions(query);
  rejectInvalidOptions(kind, validateWriteOptions(sent));
  return writeOptions(sent, userAgent);
}

export function readPatchOptions(
  query: URLSearchParams,
  isApply: boolean,
  userAgent: string | undefined,
): PatchOptions {
  const sent = sentWriteOptions(query);
  const force = queryFlag(query, 'force');
  const { dryRun, fieldManager, fieldValidation } = sent;
  rejectInvalidOptions('PatchOptions', validatePatchOptions({ dryRun, fieldManager, fieldValidation, force }, isApply));
  const options = writeOptions(sent, userAgent);
  // The members are listed one by one: V8 gives each object with a spread its own hidden class, and every patch
  // creates this object.
  return {
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force: force ?? false,
  };
}

export function readListOptions(query: URLSearchParams, kind: SelectableKind): ListOptions {
  const { sent, options } = sentListOptions(query, kind);
  rejectInvalidOptions('ListOptions', validateListOptions(sent));
  return options;
}

/**
 * A watch without a timeout ends after a random time between this number of seconds and twice this number. Therefore
 * watches that start together do not end together. The time is a whole number of seconds, because Node keeps a separate
 * list of timers for each duration.
 */
const shortestWatchSeconds = 1800;

export function readWatchOptions(query: URLSearchParams, kind: SelectableKind, pathName = ''): WatchOptions {
  const { sent, options } = sentListOptions(query, kind, pathName);
  rejectInvalidOptions('ListOptions', validateWatchOptions(sent));
  const asked = queryInteger(query, 'timeoutSeconds');
  const seconds = asked > 0 ? asked : Math.round(shortestWatchSeconds * (1 + Math.random()));
  return {
    ...options,
    allowBookmarks: queryFlag(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: sent.sendInitialEvents,
    timeoutMilliseconds: seconds * 1000,
  };
}

interface SentWrite {
  readonly dryRun: readonly string[];
  readonly fieldManager: string;
  readonly fieldValidation: string;
}

function sentWriteOptions(query: URLSearchParams): SentWrite {
  return {
    dryRun: query.getAll('dryRun'),
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: query.get('fieldValidation') ?? '',
  };
}

function writeOptions(sent: SentWrite, userAgent: string | undefined): WriteOptions {
  return {
    dryRun: sent.dryRun.length > 0,
    fieldManager: managerName(sent.fieldManager, userAgent),
    fieldValidation: sent.fieldValidation === '' ? 'Warn' : (sent.fieldValidation as FieldValidation),
  };
}

function sentListOptions(
  query: URLSearchParams,
  kind: SelectableKind,
  pathName = '',
): { sent: SentListOptions; options: ListOptions } {
  const sent: SentListOptions = {
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    continue: query.get('continue') ?? '',
    sendInitialEvents: queryFlag(query, 'sendInitialEvents'),
  };
  // A list ignores timeoutSeconds, but still rejects an invalid number (rule LIST-27).
  queryInteger(query, 'timeoutSeconds');
  const limit = Math.max(0, queryInteger(query, 'limit'));
  const options: ListOptions = {
    ...readSelectors(query, kind, pathName),
    resourceVersion: sent.resourceVersion,
    resourceVersionMatch: sent.resourceVersionMatch as ListOptions['resourceVersionMatch'],
    limit,
    continue: sent.continue,
  };
  return { sent, options };
}
