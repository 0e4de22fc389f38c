import { JsonReader } from './json-reader.ts';
import { tooManyValues } from './json-syntax-error.ts';
import type { JsonValue } from './json-value.ts';

export { JsonSyntaxError } from './json-syntax-error.ts';

export interface ParsedJson {
  readonly value: JsonValue;
  /** Members given more than once, as field paths in the order of the document; the last value won. */
  readonly duplicates: string[];
}

/** JSON.parse does the work where it can; counting members recurses, so only in documents this flat. */
export const flatDepth = 200;

/**
 * More than any object has. What is small is soon read and soon handled, and a few megabytes can hold a million small
 * values: all who would like to be served meanwhile had to wait for seconds.
 */
export const mostValues = 60_000;

/** Half of a surrogate pair can only come from an escape, as the text was UTF-8. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * Parses what a client sent; throws JsonSyntaxError. Ordinary documents go through JSON.parse, which is several times faster than any parser
 * written in JavaScript; a glance over the text finds what it would get wrong, and then JsonReader reads. `counted`: what
 * `SortedText` has found, for which it had to look as closely.
 */
export function parseJson(text: string, counted?: number): ParsedJson {
  const members = counted ?? plainMembers(text);
  if (members >= 0) {
    const value = parseOrUndefined(text);
    if (value !== undefined && countMembers(value) === members) return { value, duplicates: [] };
  }
  const reader = new JsonReader(text, mostValues);
  const value = reader.read();
  return { value, duplicates: reader.duplicates };
}

/** Parses text that this program wrote: no duplicates, no faults, only long integers need care. */
export function parseTrustedJson(text: string): JsonValue {
  return hasLongDigits(text) ? new JsonReader(text).read() : (JSON.parse(text) as JsonValue);
}

/** As many digits as an integer needs that a number cannot hold. */
const longDigits = 16;

/** So many digits in a row lie on one of the places that are looked at, which are so many apart. */
function hasLongDigits(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    while (isDigit(text.charCodeAt(from - 1))) from--;
    let to = at + 1;
    while (isDigit(text.charCodeAt(to))) to++;
    if (to - from >= longDigits) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function parseOrUndefined(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * How many members all objects of the text have together, duplicates counted twice (that is: how many colons stand
 * outside strings); -1 if JSON.parse is not to be trusted with it. Throws JsonSyntaxError for too many values.
 */
function plainMembers(text: string): number {
  let members = 0;
  let values = 0;
  let depth = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      if (++digits === 16) return -1;
      continue;
    }
    digits = 0;
    if (code === 0x22) {
      for (;;) {
        at = text.indexOf('"', at + 1);
        if (at < 0) return -1;
        if (text.charCodeAt(at - 1) !== 0x5c) break;
        if (!isEscaped(text, at)) break;
      }
    } else if (code === 0x3a) members++;
    else if (code === 0x2c) {
      if (++values > mostValues) throw tooManyValues(mostValues);
    } else if (code === 0x7b || code === 0x5b) {
      if (++values > mostValues) throw tooManyValues(mostValues);
      if (++depth > flatDepth) return -1;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  if (text.includes('\\u') && surrogateEscape.test(text)) return -1;
  return members;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

/** NaN where a number overflowed, so that it equals no count. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'number' && !Number.isFinite(value) ? Number.NaN : 0;
  }
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item !== 'string') members += countMembers(item);
    return members;
  }
  for (const key in value) {
    members++;
    const member = value[key] as JsonValue;
    if (typeof member !== 'string') members += countMembers(member);
  }
  return members;
}
