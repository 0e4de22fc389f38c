import { goQuote } from '@flotilla/go-text';
import type { JsonValue } from '@flotilla/json';
import { writeJson } from '@flotilla/json';

export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/**
 * One error in one field. `message` is the text without the path, exactly as Kubernetes words it: the `message` of a
 * cause. Error messages print the path before it.
 */
export interface FieldError {
  readonly type: FieldErrorType;
  /** `spec.foo[0].bar`. The empty path means the object itself. */
  readonly field: string;
  readonly message: string;
}

/** The value as messages print it: strings quoted, everything else as JSON. */
function printed(value: JsonValue | undefined): string {
  if (typeof value === 'string') return goQuote(value);
  return value === undefined ? 'null' : writeJson(value);
}

export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, message: detail === '' ? 'Required value' : `Required value: ${detail}` };
}

export function invalid(field: string, value: JsonValue | undefined, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, message: `Invalid value: ${printed(value)}: ${detail}` };
}

export function typeInvalid(field: string, value: JsonValue | undefined, detail: string): FieldError {
  return { type: 'FieldValueTypeInvalid', field, message: `Invalid value: ${printed(value)}: ${detail}` };
}

/** `allowed` is printed in the given order: Kubernetes sorts sets, but not lists. */
export function notSupported(field: string, value: JsonValue | undefined, allowed: readonly string[]): FieldError {
  const list = allowed.map(goQuote).join(', ');
  return {
    type: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${printed(value)}: supported values: ${list}`,
  };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

export function duplicate(field: string, value: JsonValue): FieldError {
  return { type: 'FieldValueDuplicate', field, message: `Duplicate value: ${printed(value)}` };
}

export function fieldNotFound(field: string, value: JsonValue): FieldError {
  return { type: 'FieldValueNotFound', field, message: `Not found: ${printed(value)}` };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return {
    type: 'FieldValueTooLong',
    field,
    message: `Too long: may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`,
  };
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return {
    type: 'FieldValueTooMany',
    field,
    message: `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
  };
}

/** The error with its path: `spec.foo: Required value`. The object itself prints as `<nil>`. */
export function describeFieldError(error: FieldError): string {
  return `${error.field === '' ? '<nil>' : error.field}: ${error.message}`;
}
