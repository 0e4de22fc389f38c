import { goQuote } from '@flotilla/go-text';
import { describeFieldError, type FieldError } from './field-error.ts';
import type { ListMeta } from './meta.ts';

/** The error reasons that Kubernetes clients know (rule ERR-22), and also NotImplemented and InsufficientStorage. */
export type StatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Invalid'
  | 'Expired'
  | 'ServerTimeout'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'NotImplemented'
  | 'InsufficientStorage';

export type StatusCause = { reason?: string; message?: string; field?: string };

export type StatusDetails = {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
};

/** The body of every error response. Also the body of the response to a delete that removed the object immediately. */
export type Status = {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: ListMeta;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code?: number;
};

/**
 * A resource that an error message names. It is printed as `virtualclusterinstances.management.platform.sh`, or as
 * `namespaces` for the core group.
 */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export function qualifiedResource(resource: GroupResource): string {
  return resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
}

/**
 * The error that API code throws to send an error response. It contains the complete response. Any other thrown error
 * is a bug: the server logs the stack of the error and responds with a 500 without details.
 */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'error');
    this.name = 'StatusError';
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 500;
  }
}

function failure(
  code: number,
  reason: StatusReason | undefined,
  message: string,
  details?: StatusDetails,
): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

function detailsOf(resource: GroupResource, name: string): StatusDetails {
  const details: StatusDetails = {};
  if (name !== '') details.name = name;
  if (resource.group !== '') details.group = resource.group;
  details.kind = resource.resource;
  return details;
}

export function badRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return failure(401, 'Unauthorized', 'Unauthorized');
}

export function forbidden(resource: GroupResource, name: string, detail: string, causes?: StatusCause[]): StatusError {
  const subject = name === '' ? qualifiedResource(resource) : `${qualifiedResource(resource)} ${goQuote(name)}`;
  return failure(403, 'Forbidden', `${subject} is forbidden: ${detail}`, {
    ...detailsOf(resource, name),
    ...(causes === undefined ? {} : { causes }),
  });
}

export function forbiddenPath(detail: string): StatusError {
  return failure(403, 'Forbidden', `forbidden: ${detail}`, {});
}

export function notFound(resource: GroupResource, name: string): StatusError {
  return failure(
    404,
    'NotFound',
    `${qualifiedResource(resource)} ${goQuote(name)} not found`,
    detailsOf(resource, name),
  );
}

/** Returns the response to an unknown path. It is a Status, although kube-apiserver sends plain text. */
export function pathNotFound(): StatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(resource: GroupResource, verb: string, reason?: string): StatusError {
  const message = `${verb} is not supported on resources of kind "${qualifiedResource(resource)}"`;
  return failure(
    405,
    'MethodNotAllowed',
    reason === undefined ? message : `${message}: ${reason}`,
    detailsOf(resource, ''),
  );
}

export function methodNotAllowedOnPath(): StatusError {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function notAcceptable(message: string): StatusError {
  return failure(406, 'NotAcceptable', message);
}

export function alreadyExists(resource: GroupResource, name: string): StatusError {
  return failure(
    409,
    'AlreadyExists',
    `${qualifiedResource(resource)} ${goQuote(name)} already exists`,
    detailsOf(resource, name),
  );
}

/** Returns the response to a create if an object with the same name is still being deleted. */
export function alreadyExistsTerminating(resource: GroupResource, name: string): StatusError {
  return failure(
    409,
    'AlreadyExists',
    `object is being deleted: ${qualifiedResource(resource)} ${goQuote(name)} already exists`,
    detailsOf(resource, name),
  );
}

export function generatedNameTaken(resource: GroupResource, name: string): StatusError {
  return failure(
    409,
    'AlreadyExists',
    `${qualifiedResource(resource)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
    { ...detailsOf(resource, name), retryAfterSeconds: 1 },
  );
}

export function conflict(resource: GroupResource, name: string, detail: string): StatusError {
  return failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedResource(resource)} ${goQuote(name)}: ${detail}`,
    detailsOf(resource, name),
  );
}

export const objectModifiedDetail =
  'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Returns the response to a conflict in server-side apply. `causes` lists one conflict per field (rules SSA-11,
 * SSA-12).
 */
export function applyConflict(message: string, causes: StatusCause[]): StatusError {
  return failure(409, 'Conflict', message, { causes });
}

export function expired(message: string, continueToken?: string): StatusError {
  const error = failure(410, 'Expired', message);
  if (continueToken === undefined) return error;
  return new StatusError({ ...error.status, metadata: { continue: continueToken } });
}

export function requestTooLarge(message: string): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

export function unsupportedMediaType(message: string): StatusError {
  return failure(415, 'UnsupportedMediaType', message);
}

/**
 * Returns the response with all validation errors of an object. `kind.kind` is the Kind of the object, except in the
 * error for a missing resourceVersion, where it is the plural resource name.
 */
export function invalidObject(
  kind: { group: string; kind: string },
  name: string,
  found: readonly FieldError[],
): StatusError {
  const errors = truncateErrors(found);
  const lines = [...new Set(errors.map(describeFieldError))];
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return failure(422, 'Invalid', `${subject} ${goQuote(name)} is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    causes: errors.map((error) => ({
      reason: error.type,
      message: error.message,
      field: error.field === '' ? '<nil>' : error.field,
    })),
  });
}

/**
 * The maximum total length of all error messages of a response, in characters. Without a limit, twenty thousand long
 * messages would exceed JavaScript's maximum string length.
 */
const maxErrorCharacters = 1_000_000;

function truncateErrors(errors: readonly FieldError[]): readonly FieldError[] {
  let left = maxErrorCharacters;
  const omittedFrom = errors.findIndex(({ field, message }, index) => {
    left -= field.length + message.length;
    return index > 0 && left < 0;
  });
  if (omittedFrom < 0) return errors;
  const rest: FieldError = { type: 'FieldValueTooMany', field: '', message: `and ${errors.length - omittedFrom} more` };
  return [...errors.slice(0, omittedFrom), rest];
}

/**
 * Returns a 422 response without causes, for a JSON patch that cannot be applied (rule PATCH-07), or for an apply to a
 * kind without a schema.
 */
export function unprocessable(message: string): StatusError {
  return failure(422, 'Invalid', message, {});
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, 'TooManyRequests', message, { retryAfterSeconds });
}

export function internalError(message: string): StatusError {
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function notImplemented(message: string): StatusError {
  return failure(501, 'NotImplemented', message);
}

export function serviceUnavailable(message: string, retryAfterSeconds?: number): StatusError {
  return failure(
    503,
    'ServiceUnavailable',
    message,
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  );
}

export function timedOut(detail: string): StatusError {
  return failure(504, 'Timeout', `Timeout: ${detail}`);
}

/**
 * Returns the response to a write for which the store has no space. It has no Retry-After, because a retry does not
 * help.
 */
export function insufficientStorage(message: string): StatusError {
  return failure(507, 'InsufficientStorage', message);
}

export function resourceVersionTooLarge(wanted: number | bigint, current: number): StatusError {
  return failure(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** Returns the response to a delete that removed the object immediately (rule ERR-25). */
export function deletedStatus(resource: GroupResource, name: string, uid: string): Status {
  const details = detailsOf(resource, name);
  details.uid = uid;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
