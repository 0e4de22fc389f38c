import { matchesFormat } from '@flotilla/kubernetes-formats';
import { RE2JS } from 're2js';
import { type FieldError, invalid, tooLong, typeInvalid } from '../field-error.ts';
import type { Schema } from './schema.ts';
import { addError, chargeMatch, chargePattern } from './validation-budget.ts';

/** Patterns compiled once per schema, and released with it. `undefined`: the expression is invalid. */
const patterns = new WeakMap<Schema, { readonly expression: RE2JS | undefined }>();

/** RE2 runs in time linear in the text for any expression. Patterns may come from clients. */
function patternOf(schema: Schema, pattern: string): RE2JS | undefined {
  let compiled = patterns.get(schema);
  if (compiled === undefined) {
    compiled = { expression: compile(pattern) };
    patterns.set(schema, compiled);
  }
  return compiled.expression;
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/** RE2's error message for an invalid expression. `undefined` if it is valid. */
export function regexError(pattern: string): string | undefined {
  let instructions: number;
  try {
    instructions = RE2JS.compile(pattern).programSize();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  chargePattern(instructions);
  return undefined;
}

export function validateString(schema: Schema, text: string, path: string, errors: FieldError[]): void {
  const { format } = schema;
  const error = lengthOrPatternError(schema, text, path);
  if (error !== undefined) addError(errors, error);
  if (format !== undefined && !matchesFormat(format, text)) {
    addError(errors, typeInvalid(path, text, `${path} in body must be of type ${format}: ${JSON.stringify(text)}`));
  }
}

/** Reports only the first error of length and pattern, as kube-apiserver does. */
function lengthOrPatternError(schema: Schema, text: string, path: string): FieldError | undefined {
  const { minLength, maxLength, pattern } = schema;
  // A text never has more characters than UTF-16 units, so most texts need no counting.
  if (maxLength !== undefined && text.length > maxLength && characterCount(text) > maxLength) {
    return tooLong(path, maxLength);
  }
  // A text has at least half as many characters as UTF-16 units.
  if (minLength !== undefined && text.length < 2 * minLength && characterCount(text) < minLength) {
    return invalid(path, text, `${path} in body should be at least ${minLength} chars long`);
  }
  if (pattern === undefined) return undefined;
  chargeMatch(text);
  if (!patternOf(schema, pattern)?.matcher(text).find()) {
    return invalid(path, text, `${path} in body should match '${pattern}'`);
  }
  return undefined;
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

/** A bound as Go prints it: plain for an integer value, in shortest form (`1e+06`) for a float. */
function shown(value: number | bigint, bound: number): string {
  if (typeof value === 'bigint' || Number.isInteger(value)) return String(bound);
  const exponent = Number(bound.toExponential().split('e')[1]);
  if (exponent >= -4 && exponent < 6) return String(bound);
  return bound.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
