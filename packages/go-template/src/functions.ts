import { compareBytes, isJsonObject } from '@flotilla/json';
import { sprintf } from './printf.ts';
import { sprigFunctions } from './sprig.ts';
import type { TemplateWork } from './template-work.ts';
import { formatValue, numberOf, readText, type TemplateFunction, textOf, typeName, type Value } from './values.ts';

/** Functions that do not evaluate all arguments. `executeTemplate` implements them itself. */
export const lazyFunctions: ReadonlySet<string> = new Set(['and', 'or']);

const builtIn: Readonly<Record<string, TemplateFunction>> = {
  not: (work, value = null) => !work.isTrue(value),
  len: lengthOf,
  index: (work, of = null, ...keys) => keys.reduce((value, key) => memberOf(work, value, key), of),
  slice: sliceOf,
  print: printAll,
  println: (work, ...values) => `${values.map((value) => formatValue(work, value)).join(' ')}\n`,
  printf: (work, format = null, ...values) => sprintf(work, textOf(format), values),
  eq: (work, first = null, ...others) => {
    if (others.length === 0) throw new Error('missing argument for comparison');
    return others.some((other) => equal(work, first, other));
  },
  ne: (work, one = null, other = null) => !equal(work, one, other),
  lt: (work, one = null, other = null) => compare(work, one, other) < 0,
  le: (work, one = null, other = null) => compare(work, one, other) <= 0,
  gt: (work, one = null, other = null) => compare(work, one, other) > 0,
  ge: (work, one = null, other = null) => compare(work, one, other) >= 0,
};

/** All functions that a template can call. */
export const functions: ReadonlyMap<string, TemplateFunction> = new Map([
  ...Object.entries(builtIn),
  ...Object.entries(sprigFunctions),
]);

export function isFunction(name: string): boolean {
  return functions.has(name) || lazyFunctions.has(name);
}

function lengthOf(work: TemplateWork, value: Value = null): number {
  if (typeof value === 'string') return new TextEncoder().encode(readText(work, value)).length;
  if (Array.isArray(value)) return value.length;
  if (isJsonObject(value)) return work.keysOf(value).length;
  throw new Error(`a value of type ${typeName(value)} has no length`);
}

function memberOf(work: TemplateWork, of: Value, key: Value): Value {
  if (isJsonObject(of)) {
    const name = readText(work, key);
    return Object.hasOwn(of, name) ? (of[name] ?? null) : null;
  }
  if (!Array.isArray(of)) throw new Error(`can't index a value of type ${typeName(of)}`);
  const at = typeof key === 'string' ? Number.NaN : numberOf(key);
  if (!Number.isInteger(at)) throw new Error('a list index must be an integer');
  if (at < 0 || at >= of.length) throw new Error(`index out of range: ${at}`);
  return of[at] ?? null;
}

function sliceOf(work: TemplateWork, value: Value = null, from: Value = 0, to?: Value): Value {
  const length = lengthOf(work, value);
  const [start, end] = [sliceIndex(work, from), to === undefined ? length : sliceIndex(work, to)];
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end > length || start > end) {
    throw new Error(`index out of range: ${start} to ${end} of ${length}`);
  }
  work.charge(end - start);
  if (Array.isArray(value)) return value.slice(start, end);
  if (typeof value !== 'string') throw new Error(`can't slice a value of type ${typeName(value)}`);
  return new TextDecoder().decode(new TextEncoder().encode(value).slice(start, end));
}

function sliceIndex(work: TemplateWork, value: Value): number {
  return numberOf(typeof value === 'string' ? readText(work, value) : value);
}

/** Formats values like Go's `print`, which adds a space between two values if neither is a string. */
function printAll(work: TemplateWork, ...values: Value[]): string {
  return values
    .map((value, index) => {
      const before = values[index - 1];
      const apart = index > 0 && typeof value !== 'string' && typeof before !== 'string';
      return `${apart ? ' ' : ''}${value === null ? '<nil>' : formatValue(work, value)}`;
    })
    .join('');
}

function equal(work: TemplateWork, one: Value, other: Value): boolean {
  if (one === null || other === null) return one === other;
  if (isNumber(one) && isNumber(other)) return Number(one) === Number(other);
  if (typeof one !== typeof other || typeof one === 'object') throw new Error('incompatible types for comparison');
  if (typeof one === 'string' && one.length === textOf(other).length) readText(work, one);
  return one === other;
}

function compare(work: TemplateWork, one: Value, other: Value): number {
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other);
  if (typeof one === 'string' && typeof other === 'string') {
    return compareBytes(readText(work, one), readText(work, other));
  }
  throw new Error('incompatible types for comparison');
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
