import { matchesFormat } from '@flotilla/kubernetes-formats';
import { compilePattern, matchUnits, PatternError } from '@flotilla/regex';
import type { RE2JS } from 're2js';
import { type FieldError, invalid, tooLong, typeInvalid } from '../field-error.ts';
import type { Schema } from './schema.ts';
import { addError, chargePatternWork } from './validation-budget.ts';

/** The compiled pattern of each schema, released together with the schema. `undefined` for an invalid pattern. */
const patterns = new WeakMap<Schema, { readonly expression: RE2JS | undefined }>();

/**
 * Compiles a pattern with RE2, whose matching time is linear in the length of the text. Other engines are unsafe here,
 * because patterns may come from untrusted clients.
 */
function patternOf(schema: Schema, pattern: string): RE2JS | undefined {
  let compiled = patterns.get(schema);
  if (compiled === undefined) {
    const result = compileOrError(pattern);
    compiled = { expression: typeof result === 'string' ? undefined : result };
    patterns.set(schema, compiled);
  }
  return compiled.expression;
}

function compileOrError(pattern: string): RE2JS | string {
  try {
    return compilePattern(pattern, chargePatternWork);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}

/** Returns RE2's error message for an invalid regular expression. `undefined` if the expression is valid. */
export function regexError(pattern: string): string | undefined {
  const compiled = compileOrError(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
}

export function validateString(schema: Schema, text: string, path: string, errors: FieldError[]): void {
  const { format } = schema;
  const error = lengthOrPatternError(schema, text, path);
  if (error !== undefined) addError(errors, error);
  if (format !== undefined && !matchesFormat(format, text)) {
    addError(errors, typeInvalid(path, text, `${path} in body must be of type ${format}: ${JSON.stringify(text)}`));
  }
}

/**
 * Returns the first error of minLength, maxLength and pattern. Like kube-apiserver, reports only one error for these
 * three keywords.
 */
function lengthOrPatternError(schema: Schema, text: string, path: string): FieldError | undefined {
  const { minLength, maxLength, pattern } = schema;
  if (maxLength !== undefined && isLongerThan(text, maxLength)) return tooLong(path, maxLength);
  // A text has at least half as many characters as UTF-16 units, so the characters of a long text need not be counted.
  if (minLength !== undefined && text.length < 2 * minLength && characterCount(text) < minLength) {
    return invalid(path, text, `${path} in body should be at least ${minLength} chars long`);
  }
  if (pattern === undefined) return undefined;
  const expression = patternOf(schema, pattern);
  if (expression !== undefined) chargePatternWork(matchUnits(expression, text));
  if (!expression?.matcher(text).find()) {
    return invalid(path, text, `${path} in body should match '${pattern}'`);
  }
  return undefined;
}

/**
 * True if a text has more than this many characters. A text has at most as many characters as UTF-16 units, and at
 * least half as many, so the characters of most texts need not be counted.
 */
export function isLongerThan(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  return text.length > 2 * maxLength || characterCount(text) > maxLength;
}

function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const int32: readonly [number, number] = [-2147483648, 2147483647];

export function validateNumber(schema: Schema, value: number | bigint, path: string, errors: FieldError[]): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (schema.type === 'integer' && !fitsInteger(schema.format, value)) {
    const form = schema.format === undefined ? '(default format)' : `with format ${schema.format}`;
    addError(errors, invalid('', '', `Checked value must be of type integer ${form} in ${path}`));
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    addError(errors, invalid(path, value, `${path} in body should be a multiple of ${shown(value, multipleOf)}`));
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    const relation = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    addError(errors, invalid(path, value, `${path} in body should be ${relation} ${shown(value, minimum)}`));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    const relation = exclusiveMaximum ? 'less than' : 'less than or equal to';
    addError(errors, invalid(path, value, `${path} in body should be ${relation} ${shown(value, maximum)}`));
  }
}

function fitsInteger(format: string | undefined, value: number | bigint): boolean {
  if (format === 'int32') return isWhole(value) && value >= int32[0] && value <= int32[1];
  return isWhole(value) && (typeof value === 'bigint' || Math.abs(value) < 2 ** 63);
}

function isWhole(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint' && Number.isInteger(factor)) return value % BigInt(factor) === 0n;
  return Number.isInteger(Number(value) / factor);
}

/**
 * Prints a minimum or maximum as Go does: in full if the value is an integer, in short form (`1e+06`) if it is a float.
 */
function shown(value: number | bigint, bound: number): string {
  if (typeof value === 'bigint' || Number.isInteger(value)) return String(bound);
  const exponent = Number(bound.toExponential().split('e')[1]);
  if (exponent >= -4 && exponent < 6) return String(bound);
  return bound.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
