import { isJsonObject, type JsonValue, sortByBytes } from '@flotilla/json';
import { chargeValue, plainUnits } from './charge-value.ts';
import type { TemplateWork } from './template-work.ts';

export type Value = JsonValue;

/**
 * A function that templates can call. Charges its work in advance: the values that it reads and creates. Throws
 * Error with a description; the caller adds the position in the template.
 */
export type TemplateFunction = (work: TemplateWork, ...values: Value[]) => Value;

/** Formats a value like Go's `%v`. */
export function formatValue(work: TemplateWork, value: Value): string {
  if (value === null) return '<no value>';
  chargeValue(work, value, plainUnits);
  return inner(value);
}

function inner(value: Value): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return `[${value.map(inner).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  return `map[${sortByBytes(Object.keys(value))
    .map((key) => `${key}:${inner(value[key] ?? null)}`)
    .join(' ')}]`;
}

/**
 * Formats a number like Go: integers without an exponent, other numbers with an exponent if their absolute value is
 * below 0.0001 or at least 1e6.
 */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  const isPlain = Number.isSafeInteger(value) || (size >= 1e-4 && size < 1e6);
  return isPlain ? String(value) : value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Returns the string. Throws Error if the value is not a string. */
export function textOf(value: Value): string {
  if (typeof value !== 'string') throw new Error(`expected a string, got a value of type ${typeName(value)}`);
  return value;
}

/** Returns the string, and charges for reading it. Throws Error if the value is not a string. */
export function readText(work: TemplateWork, value: Value): string {
  const text = textOf(value);
  work.charge(text.length);
  return text;
}

/**
 * Converts a scalar to a number. Returns NaN for lists and maps, although JavaScript would convert a list by its text.
 */
export function numberOf(value: Value): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value);
}

export function typeName(value: Value): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'map' : typeof value;
}
