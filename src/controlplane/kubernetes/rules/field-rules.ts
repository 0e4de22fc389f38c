import { equalJson, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required } from '../../../api/field-error.ts';

/** Rules for the values of single fields, worded as in Kubernetes. */

export function nonNegativeErrors(path: string, value: number | bigint): FieldError[] {
  return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}

/** Returns an error for each fault of a value. */
export function faultErrors(path: string, value: JsonValue, faults: readonly string[]): FieldError[] {
  return faults.map((fault) => invalid(path, value, fault));
}

/**
 * Returns an error if the text is empty or not one of the allowed texts. The error lists the allowed texts in the order
 * of `allowed`.
 */
export function requiredChoiceErrors(path: string, value: string, allowed: readonly string[]): FieldError[] {
  if (value === '') return [required(path)];
  return allowed.includes(value) ? [] : [notSupported(path, value, allowed)];
}

/**
 * Returns the error for a struct or a pointer, which Go prints as JSON. The members are printed in their order in the
 * value.
 */
export function invalidStruct(path: string, value: JsonValue, detail: string): FieldError {
  const message = `Invalid value: ${printedStruct(value)}${detail === '' ? '' : `: ${detail}`}`;
  return { type: 'FieldValueInvalid', field: path, message };
}

/** Returns the error for a repeated struct. The members of the struct are printed in their order in the value. */
export function duplicateStruct(path: string, value: JsonObject, detail = ''): FieldError {
  const message = `Duplicate value: ${printedStruct(value)}${detail === '' ? '' : `: ${detail}`}`;
  return { type: 'FieldValueDuplicate', field: path, message };
}

/**
 * Returns the error for a struct that has none of the allowed types. The members of the struct are printed in their
 * order in the value.
 */
export function notSupportedStruct(path: string, value: JsonObject, allowed: readonly string[]): FieldError {
  const list = allowed.map((one) => `"${one}"`).join(', ');
  const message = `Unsupported value: ${printedStruct(value)}: supported values: ${list}`;
  return { type: 'FieldValueNotSupported', field: path, message };
}

/** Returns the JSON of a value as Go writes it. Go escapes characters with a meaning in HTML. */
function printedStruct(value: JsonValue): string {
  const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return writeJson(value, { sorted: false }).replace(/[<>&\u2028\u2029]/g, escaped);
}

export function immutableErrors(path: string, value: JsonValue | undefined, old: JsonValue | undefined): FieldError[] {
  return equalJson(value ?? null, old ?? null) ? [] : [invalid(path, value ?? null, 'field is immutable')];
}

/**
 * Returns an error if the field is present and its value is not one of the allowed values. The error lists the allowed
 * values in sorted order.
 */
export function choiceErrors(path: string, value: JsonValue | undefined, allowed: readonly string[]): FieldError[] {
  if (value === undefined || value === null) return [];
  return allowed.includes(String(value)) ? [] : [notSupported(path, value, allowed.toSorted())];
}

/** Returns the errors of a required name with an optional prefix, such as `example.com/driver`. */
export function requiredQualifiedNameErrors(path: string, value: string): FieldError[] {
  if (value === '') return [required(path)];
  const lower = value.toLowerCase();
  return qualifiedNameFaults(lower).map((fault) => invalid(path, lower, fault));
}

const pathPattern = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Returns the errors of a required domain-prefixed path, such as `example.com/controller`. */
export function domainPrefixedPathErrors(path: string, value: string): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  const [domain, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (domain === '' || rest === '') {
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const pathDetail = `Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`;
  return [
    ...subdomainFaults(domain).map((fault) => invalid(path, domain, fault)),
    ...(pathPattern.test(rest) ? [] : [invalid(path, rest, pathDetail)]),
  ];
}

/** Returns an error that does not show the value. */
export function invalidWithoutValue(path: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: path, message: `Invalid value: ${detail}` };
}

const percentPattern = /^[0-9]+%$/;

export function isPercent(text: string): boolean {
  return percentPattern.test(text);
}

/** Returns the errors of an amount that must be a number or a percentage. The percentage may exceed 100%. */
export function wholeOrPercentErrors(path: string, value: JsonValue): FieldError[] {
  if (typeof value !== 'string') return typeof value === 'number' ? nonNegativeErrors(path, value) : [];
  if (isPercent(value)) return [];
  const detail =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return [invalid(path, value, detail)];
}

/** Returns an error if the value is a percentage above 100%. */
export function tooLargePercentErrors(path: string, value: JsonValue): FieldError[] {
  const isTooLarge = typeof value === 'string' && isPercent(value) && Number(value.slice(0, -1)) > 100;
  return isTooLarge ? [invalid(path, value, 'must not be greater than 100%')] : [];
}

/** Returns the errors of an amount that must be a number or a percentage of at most 100%. */
export function numberOrPercentErrors(path: string, value: JsonValue): FieldError[] {
  return [...wholeOrPercentErrors(path, value), ...tooLargePercentErrors(path, value)];
}
