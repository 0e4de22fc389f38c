import { goQuote } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, setMember, writeJson } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { formatValue, isTrue, type TemplateFunction, typeName, type Value } from './values.ts';

/** The maximum length of a function's result. Without a limit, a few nested calls could exhaust the memory. */
export const maxTextLength = 1024 * 1024;

/** The functions of the Sprig library that templates commonly use, with Sprig's argument order. */
export const sprigFunctions: Readonly<Record<string, TemplateFunction>> = {
  default: (instead = null, value = null) => (isTrue(value) ? value : instead),
  empty: (value = null) => !isTrue(value),
  coalesce: (...values) => values.find(isTrue) ?? null,
  ternary: (one = null, other = null, condition = null) => (truth(condition) ? one : other),
  required: (message = null, value = null) => {
    if (value === null || value === '') throw new Error(text(message));
    return value;
  },

  quote: (...values) => words(values, goQuote),
  squote: (...values) => words(values, (word) => `'${word}'`),
  upper: (value = null) => text(value).toUpperCase(),
  lower: (value = null) => text(value).toLowerCase(),
  trim: (value = null) => text(value).trim(),
  trimPrefix: (prefix = null, value = null) =>
    text(value).startsWith(text(prefix)) ? text(value).slice(text(prefix).length) : text(value),
  trimSuffix: (suffix = null, value = null) =>
    suffix !== '' && text(value).endsWith(text(suffix)) ? text(value).slice(0, -text(suffix).length) : text(value),
  trunc: truncated,
  contains: (part = null, value = null) => text(value).includes(text(part)),
  hasPrefix: (prefix = null, value = null) => text(value).startsWith(text(prefix)),
  hasSuffix: (suffix = null, value = null) => text(value).endsWith(text(suffix)),
  replace: (old = null, by = null, value = null) => bounded(text(value).split(text(old)).join(text(by))),
  indent: (spaces = null, value = null) => indented(spaces, value),
  nindent: (spaces = null, value = null) => `\n${indented(spaces, value)}`,

  join: (separator = null, value = null) => bounded(items(value).map(asText).join(text(separator))),
  split: (separator = null, value = null) => {
    const parts: JsonObject = {};
    for (const [index, part] of text(value).split(text(separator)).entries()) parts[`_${index}`] = part;
    return parts;
  },
  splitList: (separator = null, value = null) => text(value).split(text(separator)),
  list: (...values) => values,
  dict: (...pairs) => {
    const made: JsonObject = {};
    for (let at = 0; at < pairs.length; at += 2) setMember(made, asText(pairs[at] ?? null), pairs[at + 1] ?? '');
    return made;
  },
  get: (map = null, key = null) => (Object.hasOwn(members(map), text(key)) ? (members(map)[text(key)] ?? null) : ''),
  hasKey: (map = null, key = null) => Object.hasOwn(members(map), text(key)),

  toString: (value: Value = null) => asText(value),
  int: (value = null) => integer(value),
  add: (...values) => values.map(integer).reduce((sum, value) => exact(sum + value), 0),
  sub: (one = null, other = null) => exact(integer(one) - integer(other)),
  mul: (...values) => values.map(integer).reduce((product, value) => exact(product * value), 1),
  toJson: (value = null) => bounded(escapedForHtml(writeJson(value))),
  toYaml: (value = null) => bounded(yamlText(value).replace(/\n$/, '')),
  b64enc: (value = null) => btoa(String.fromCharCode(...new TextEncoder().encode(bounded(text(value), 65_536)))),
  b64dec: (value = null) => decoded(text(value)),
};

function text(value: Value): string {
  if (typeof value !== 'string') throw new Error(`expected a string, got a value of type ${typeName(value)}`);
  return value;
}

function asText(value: Value): string {
  return value === null ? '' : formatValue(value);
}

function truth(value: Value): boolean {
  if (typeof value !== 'boolean') throw new Error(`expected true or false, got a value of type ${typeName(value)}`);
  return value;
}

function items(value: Value): Value[] {
  return Array.isArray(value) ? value.filter((item) => item !== null) : value === null ? [] : [value];
}

function members(value: Value): JsonObject {
  if (!isJsonObject(value)) throw new Error(`expected a map, got a value of type ${typeName(value)}`);
  return value;
}

function bounded(made: string, limit = maxTextLength): string {
  if (made.length > limit) throw new Error(`the result exceeds ${limit} characters`);
  return made;
}

/** Joins values with spaces. Omits nil values, as Sprig does. */
function words(values: readonly Value[], around: (word: string) => string): string {
  return values
    .filter((value) => value !== null)
    .map((value) => around(asText(value)))
    .join(' ');
}

function truncated(length: Value = null, value: Value = null): string {
  const count = integer(length);
  const bytes = new TextEncoder().encode(text(value));
  if (Math.abs(count) >= bytes.length) return text(value);
  return new TextDecoder().decode(count < 0 ? bytes.slice(count) : bytes.slice(0, count));
}

function indented(spaces: Value, value: Value): string {
  const count = integer(spaces);
  if (count < 0) throw new Error('the indentation must not be negative');
  const lines = text(value).split('\n');
  if (lines.length * count + text(value).length > maxTextLength)
    throw new Error(`the result exceeds ${maxTextLength} characters`);
  const pad = ' '.repeat(count);
  return lines.map((line) => pad + line).join('\n');
}

/** Converts a value to an integer. A value that is not a number becomes 0, as in Sprig. */
function integer(value: Value): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' ? Number(/^[+-]?\d+$/.test(value) ? value : 0) : Number(value);
  return Number.isFinite(number) ? exact(Math.trunc(number)) : 0;
}

function exact(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error('the resulting number is too large');
  return value;
}

function escapedForHtml(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function decoded(value: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(value), (character) => character.charCodeAt(0)));
  } catch {
    throw new Error('the value is not valid base64');
  }
}
