import { goQuote } from '@flotilla/go-text';
import { type JsonValue, writeJson } from '@flotilla/json';

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
 * A validation error in one field. `message` is worded exactly as in Kubernetes, does not contain the path, and becomes
 * the `message` of a status cause. The message of the whole response contains the path before it.
 */
export interface FieldError {
  readonly type: FieldErrorType;
  /** The path of the field, such as `spec.foo[0].bar`. The empty path is the object itself. */
  readonly field: string;
  readonly message: string;
}

/**
 * The maximum length of a text in an error message. Longer texts are truncated; people do not mistype texts of this
 * length.
 */
const maxPrintedLength = 100_000;

/** Prints a value as error messages do: strings in quotes, everything else as JSON. */
function printed(value: JsonValue | undefined): string {
  if (typeof value === 'string') {
    return value.length <= maxPrintedLength ? goQuote(value) : `${goQuote(value.slice(0, maxPrintedLength))}...`;
  }
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

/**
 * Returns the error for a value that is not in `allowed`. The message lists the values in the order of `allowed`, so
 * the caller must sort `allowed` where Kubernetes sorts the values.
 */
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

export function fieldNotFound(field: string, value: JsonValue, detail = ''): FieldError {
  const message = `Not found: ${printed(value)}${detail === '' ? '' : `: ${detail}`}`;
  return { type: 'FieldValueNotFound', field, message };
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

/**
 * Returns the message with the path: `spec.foo: Required value`. The path of the object itself is printed as `<nil>`.
 */
export function describeFieldError(error: FieldError): string {
  return `${error.field === '' ? '<nil>' : error.field}: ${error.message}`;
}
