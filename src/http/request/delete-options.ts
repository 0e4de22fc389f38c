import { getMember, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { wrongTypeError } from '../../api/decode/decode-error.ts';
import { apiVersionOf } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { badRequest } from '../../api/status.ts';
import { validateDeleteOptions } from '../../api/validation/options.ts';
import type { DeleteOptions } from '../../registry/verbs.ts';
import { queryFlag } from './query-flag.ts';
import { optionalQueryInteger } from './query-integer.ts';
import { rejectInvalidOptions } from './query-options.ts';

/** Parsed delete options. `orphanDependents` is a deprecated field that affects the response code (rule DELETE-08). */
export interface ParsedDeleteOptions {
  readonly options: DeleteOptions;
  readonly orphanDependents: boolean | undefined;
}

interface SentDelete {
  readonly dryRun: readonly string[];
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/**
 * Parses delete options from the query, for a request without a body (rule DELETE-01). When a collection is deleted,
 * the parameter `resourceVersion` is a list option and not a precondition.
 */
export function deleteOptionsFromQuery(query: URLSearchParams, isCollection: boolean): ParsedDeleteOptions {
  return checked({
    dryRun: query.getAll('dryRun'),
    orphanDependents: queryFlag(query, 'orphanDependents'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    gracePeriodSeconds: optionalQueryInteger(query, 'gracePeriodSeconds'),
    uid: query.get('uid') ?? undefined,
    resourceVersion: isCollection ? undefined : (query.get('resourceVersion') ?? undefined),
  });
}

/**
 * Parses delete options from the request body. If there is a body, query parameters are ignored (rules DELETE-01 to
 * DELETE-03).
 */
export function deleteOptionsFromBody(body: JsonValue, kind: ResourceKind): ParsedDeleteOptions {
  if (!isJsonObject(body)) throw notDeleteOptions();
  const sentKind = text(body, 'kind') ?? '';
  const apiVersion = text(body, 'apiVersion') ?? '';
  if (sentKind !== '' && sentKind !== 'DeleteOptions') throw notDeleteOptions();
  if (apiVersion !== '' && !['v1', 'meta.k8s.io/v1', apiVersionOf(kind)].includes(apiVersion)) throw notDeleteOptions();
  const preconditions = getMember(body, 'preconditions') ?? {};
  if (!isJsonObject(preconditions)) throw mismatch(preconditions, 'DeleteOptions.preconditions', 'v1.Preconditions');
  return checked({
    dryRun: texts(body, 'dryRun'),
    orphanDependents: flag(body, 'orphanDependents'),
    propagationPolicy: text(body, 'propagationPolicy', 'DeleteOptions.propagationPolicy', 'v1.DeletionPropagation'),
    gracePeriodSeconds: integer(body, 'gracePeriodSeconds'),
    uid: text(preconditions, 'uid', 'Preconditions.preconditions.uid', 'types.UID'),
    resourceVersion: text(preconditions, 'resourceVersion', 'Preconditions.preconditions.resourceVersion'),
  });
}

function checked(sent: SentDelete): ParsedDeleteOptions {
  rejectInvalidOptions('DeleteOptions', validateDeleteOptions(sent));
  const { gracePeriodSeconds: grace, orphanDependents } = sent;
  const policy = sent.propagationPolicy as DeleteOptions['propagationPolicy'];
  const byOrphaning = orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background';
  return {
    orphanDependents,
    options: {
      dryRun: sent.dryRun.length > 0,
      // A negative grace period means one second (rule DELETE-18).
      gracePeriodSeconds: grace !== undefined && grace < 0 ? 1 : grace,
      propagationPolicy: policy ?? byOrphaning,
      preconditions: {
        ...(sent.uid === undefined ? {} : { uid: sent.uid }),
        ...(sent.resourceVersion === undefined ? {} : { resourceVersion: sent.resourceVersion }),
      },
    },
  };
}

function notDeleteOptions(): Error {
  return badRequest('decoded object cannot be converted to DeleteOptions');
}

/**
 * Returns a 400 error with the message of Go's JSON decoder (DELETE-03). Like Go, the message quotes the value only if
 * a number such as 1.5 was sent for an integer field.
 */
function mismatch(value: JsonValue, field: string, goType: string): Error {
  if (goType === 'int64' && typeof value === 'number') {
    return badRequest(`json: cannot unmarshal number ${value} into Go struct field ${field} of type int64`);
  }
  return badRequest(wrongTypeError(value, field, goType).message);
}

/** A JSON type that a member can have, and Go's name for it in error messages. */
interface MemberType<T extends JsonValue> {
  readonly is: (value: JsonValue) => value is T;
  readonly goType: string;
}

/** Returns a member of the body; `undefined` if it is absent or null. Throws 400 if it has the wrong type. */
function member<T extends JsonValue>(
  body: JsonObject,
  name: string,
  { is, goType }: MemberType<T>,
  field = `DeleteOptions.${name}`,
): T | undefined {
  const value = getMember(body, name);
  if (value === undefined || value === null) return undefined;
  if (!is(value)) throw mismatch(value, field, goType);
  return value;
}

function text(body: JsonObject, name: string, field?: string, goType = 'string'): string | undefined {
  return member(body, name, { is: (value) => typeof value === 'string', goType }, field);
}

function flag(body: JsonObject, name: string): boolean | undefined {
  return member(body, name, { is: (value) => typeof value === 'boolean', goType: 'bool' });
}

function integer(body: JsonObject, name: string): number | undefined {
  const isInteger = (value: JsonValue): value is number | bigint =>
    typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  const value = member(body, name, { is: isInteger, goType: 'int64' });
  return value === undefined ? undefined : Number(value);
}

function texts(body: JsonObject, name: string): string[] {
  const isTexts = (value: JsonValue): value is string[] =>
    Array.isArray(value) && value.every((item) => typeof item === 'string');
  return member(body, name, { is: isTexts, goType: '[]string' }) ?? [];
}
