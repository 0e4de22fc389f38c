import { compareBytes, isJsonObject } from '@flotilla/json';
import { sprintf } from './printf.ts';
import { sprigFunctions } from './sprig.ts';
import { formatValue, isTrue, type TemplateFunction, typeName, type Value } from './values.ts';

/** Functions that do not evaluate all arguments. `executeTemplate` implements them itself. */
export const lazyFunctions: ReadonlySet<string> = new Set(['and', 'or']);

const builtIn: Readonly<Record<string, TemplateFunction>> = {
  not: (value = null) => !isTrue(value),
  len: lengthOf,
  index: (of = null, ...keys) => keys.reduce(memberOf, of),
  slice: sliceOf,
  print: printAll,
  println: (...values) => `${values.map(formatValue).join(' ')}\n`,
  printf: (format = null, ...values) => sprintf(text(format), values),
  eq: (first = null, ...others) => {
    if (others.length === 0) throw new Error('missing argument for comparison');
    return others.some((other) => equal(first, other));
  },
  ne: (one = null, other = null) => !equal(one, other),
  lt: (one = null, other = null) => compare(one, other) < 0,
  le: (one = null, other = null) => compare(one, other) <= 0,
  gt: (one = null, other = null) => compare(one, other) > 0,
  ge: (one = null, other = null) => compare(one, other) >= 0,
};

/** All functions that a template can call. */
export const functions: ReadonlyMap<string, TemplateFunction> = new Map([
  ...Object.entries(builtIn),
  ...Object.entries(sprigFunctions),
]);

export function isFunction(name: string): boolean {
  return functions.has(name) || lazyFunctions.has(name);
}

function text(value: Value): string {
  if (typeof value !== 'string') throw new Error(`expected a string, got a value of type ${typeName(value)}`);
  return value;
}

function lengthOf(value: Value = null): number {
  if (typeof value === 'string') return new TextEncoder().encode(value).length;
  if (Array.isArray(value)) return value.length;
  if (isJsonObject(value)) return Object.keys(value).length;
  throw new Error(`a value of type ${typeName(value)} has no length`);
}

function memberOf(of: Value, key: Value): Value {
  if (isJsonObject(of)) {
    const name = text(key);
    return Object.hasOwn(of, name) ? (of[name] ?? null) : null;
  }
  if (!Array.isArray(of)) throw new Error(`can't index a value of type ${typeName(of)}`);
  const at = Number(key);
  if (typeof key === 'string' || !Number.isInteger(at)) throw new Error('a list index must be an integer');
  if (at < 0 || at >= of.length) throw new Error(`index out of range: ${at}`);
  return of[at] ?? null;
}

function sliceOf(value: Value = null, from: Value = 0, to?: Value): Value {
  const length = lengthOf(value);
  const [start, end] = [Number(from), to === undefined ? length : Number(to)];
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end > length || start > end) {
    throw new Error(`index out of range: ${start} to ${end} of ${length}`);
  }
  if (Array.isArray(value)) return value.slice(start, end);
  if (typeof value !== 'string') throw new Error(`can't slice a value of type ${typeName(value)}`);
  return new TextDecoder().decode(new TextEncoder().encode(value).slice(start, end));
}

/** Formats values like Go's `print`, which adds a space between two values if neither is a string. */
function printAll(...values: Value[]): string {
  return values
    .map((value, index) => {
      const before = values[index - 1];
      const apart = index > 0 && typeof value !== 'string' && typeof before !== 'string';
      return `${apart ? ' ' : ''}${value === null ? '<nil>' : formatValue(value)}`;
    })
    .join('');
}

function equal(one: Value, other: Value): boolean {
  if (one === null || other === null) return one === other;
  if (isNumber(one) && isNumber(other)) return Number(one) === Number(other);
  if (typeof one !== typeof other || typeof one === 'object') throw new Error('incompatible types for comparison');
  return one === other;
}

function compare(one: Value, other: Value): number {
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other);
  if (typeof one === 'string' && typeof other === 'string') return compareBytes(one, other);
  throw new Error('incompatible types for comparison');
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
