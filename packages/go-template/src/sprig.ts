import { createTextSearch, goQuote, type TextSearch } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, setMember, writeJson } from '@flotilla/json';
import { yamlText, yamlUnits } from '@flotilla/yaml';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { chargeValue, jsonUnits, quotedUnits } from './charge-value.ts';
import type { TemplateWork } from './template-work.ts';
import { formatValue, numberOf, readText, type TemplateFunction, textOf, typeName, type Value } from './values.ts';

/** The maximum length of a function's result. Without a limit, a few nested calls could exhaust the memory. */
export const maxTextLength = 1024 * 1024;

/** The units of work for adding a member to a map, and for creating a part of a text. */
const unitsPerMember = 100;
const unitsPerPart = 30;

/** The functions of the Sprig library that templates commonly use, with Sprig's argument order. */
export const sprigFunctions: Readonly<Record<string, TemplateFunction>> = {
  default: (work, instead = null, value = null) => (work.isTrue(value) ? value : instead),
  empty: (work, value = null) => !work.isTrue(value),
  coalesce: (work, ...values) => values.find((value) => work.isTrue(value)) ?? null,
  ternary: (_work, one = null, other = null, condition = null) => (truth(condition) ? one : other),
  required: (_work, message = null, value = null) => {
    if (value === null || value === '') throw new Error(textOf(message));
    return value;
  },

  quote: (work, ...values) =>
    words(work, values, (word) => {
      chargeValue(work, word, quotedUnits);
      return goQuote(word);
    }),
  squote: (work, ...values) => words(work, values, (word) => `'${word}'`),
  upper: (work, value = null) => readText(work, value).toUpperCase(),
  lower: (work, value = null) => readText(work, value).toLowerCase(),
  trim: (work, value = null) => readText(work, value).trim(),
  trimPrefix: (work, prefix = null, value = null) =>
    textOf(value).startsWith(readText(work, prefix)) ? textOf(value).slice(textOf(prefix).length) : value,
  trimSuffix: (work, suffix = null, value = null) =>
    suffix !== '' && textOf(value).endsWith(readText(work, suffix))
      ? textOf(value).slice(0, -textOf(suffix).length)
      : textOf(value),
  trunc: truncated,
  contains: (work, part = null, value = null) => textSearch(work, textOf(part))(readText(work, value), 0) !== -1,
  hasPrefix: (work, prefix = null, value = null) => textOf(value).startsWith(readText(work, prefix)),
  hasSuffix: (work, suffix = null, value = null) => textOf(value).endsWith(readText(work, suffix)),
  replace: (work, old = null, by = null, value = null) => joined(work, splitText(work, value, old), by),
  indent: (work, spaces = null, value = null) => indented(work, spaces, value),
  nindent: (work, spaces = null, value = null) => `\n${indented(work, spaces, value)}`,

  join: (work, separator = null, value = null) =>
    joined(
      work,
      items(work, value).map((item) => asText(work, item)),
      separator,
    ),
  split: (work, separator = null, value = null) => {
    const parts: JsonObject = {};
    for (const [index, part] of splitText(work, value, separator).entries()) {
      work.charge(unitsPerMember);
      parts[`_${index}`] = part;
    }
    return parts;
  },
  splitList: (work, separator = null, value = null) => splitText(work, value, separator),
  list: (work, ...values) => {
    work.charge(values.length);
    return values;
  },
  dict: (work, ...pairs) => {
    const made: JsonObject = {};
    for (let at = 0; at < pairs.length; at += 2) {
      work.charge(unitsPerMember);
      setMember(made, asText(work, pairs[at] ?? null), pairs[at + 1] ?? '');
    }
    return made;
  },
  get: (work, map = null, key = null) => {
    const name = readText(work, key);
    return Object.hasOwn(members(map), name) ? (members(map)[name] ?? null) : '';
  },
  hasKey: (work, map = null, key = null) => Object.hasOwn(members(map), readText(work, key)),

  toString: (work: TemplateWork, value: Value = null) => asText(work, value),
  int: (work, value = null) => integer(work, value),
  add: (work, ...values) => values.reduce<number>((sum, value) => exact(sum + integer(work, value)), 0),
  sub: (work, one = null, other = null) => exact(integer(work, one) - integer(work, other)),
  mul: (work, ...values) => values.reduce<number>((product, value) => exact(product * integer(work, value)), 1),
  toJson: (work, value = null) => {
    chargeValue(work, value, jsonUnits);
    return bounded(escapedForHtml(writeJson(value)));
  },
  toYaml: (work, value = null) => {
    chargeValue(work, value, yamlUnits);
    return bounded(yamlText(value).replace(/\n$/, ''));
  },
  b64enc: (work, value = null) => encodeBase64(bounded(readText(work, value), 65_536)),
  b64dec: (work, value = null) => decodeBase64(readText(work, value)),
};

function asText(work: TemplateWork, value: Value): string {
  return value === null ? '' : formatValue(work, value);
}

function truth(value: Value): boolean {
  if (typeof value !== 'boolean') throw new Error(`expected true or false, got a value of type ${typeName(value)}`);
  return value;
}

function items(work: TemplateWork, value: Value): Value[] {
  if (!Array.isArray(value)) return value === null ? [] : [value];
  work.charge(value.length);
  return value.filter((item) => item !== null);
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
function words(work: TemplateWork, values: readonly Value[], around: (word: string) => string): string {
  return values
    .filter((value) => value !== null)
    .map((value) => around(asText(work, value)))
    .join(' ');
}

/** Joins texts. Checks the length of the result before it is created. */
function joined(work: TemplateWork, parts: readonly string[], by: Value): string {
  const separator = textOf(by);
  let length = separator.length * Math.max(parts.length - 1, 0);
  for (const part of parts) length += part.length;
  if (length > maxTextLength) throw new Error(`the result exceeds ${maxTextLength} characters`);
  work.charge(parts.length + length);
  return parts.join(separator);
}

function splitText(work: TemplateWork, value: Value, separator: Value): string[] {
  const text = readText(work, value);
  const between = textOf(separator);
  if (between === '') {
    work.charge(text.length * unitsPerPart);
    return text.split('');
  }
  const find = textSearch(work, between);
  const parts: string[] = [];
  let start = 0;
  for (let at = find(text, 0); at !== -1; at = find(text, start)) {
    work.charge(unitsPerPart);
    parts.push(text.slice(start, at));
    start = at + between.length;
  }
  parts.push(text.slice(start));
  return parts;
}

/** The units of work for preparing a search, per character of the text to find. */
const unitsPerSearched = 5;

/**
 * Creates a search for the text `part`. Charges only the preparation. The caller must charge for each text that it
 * searches.
 */
function textSearch(work: TemplateWork, part: string): TextSearch {
  work.charge(part.length * unitsPerSearched);
  return createTextSearch(part);
}

function truncated(work: TemplateWork, length: Value = null, value: Value = null): string {
  const count = integer(work, length);
  const bytes = new TextEncoder().encode(readText(work, value));
  if (Math.abs(count) >= bytes.length) return textOf(value);
  return new TextDecoder().decode(count < 0 ? bytes.slice(count) : bytes.slice(0, count));
}

function indented(work: TemplateWork, spaces: Value, value: Value): string {
  const count = integer(work, spaces);
  if (count < 0) throw new Error('the indentation must not be negative');
  const lines = splitText(work, value, '\n');
  if (lines.length * count + textOf(value).length > maxTextLength)
    throw new Error(`the result exceeds ${maxTextLength} characters`);
  const pad = ' '.repeat(count);
  return pad + joined(work, lines, `\n${pad}`);
}

/** Converts a value to an integer. A value that is not a number becomes 0, as in Sprig. */
function integer(work: TemplateWork, value: Value): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number =
    typeof value === 'string' ? Number(/^[+-]?\d+$/.test(readText(work, value)) ? value : 0) : numberOf(value);
  return Number.isFinite(number) ? exact(Math.trunc(number)) : 0;
}

function exact(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error('the resulting number is too large');
  return value;
}

function escapedForHtml(json: string): string {
  return json
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
