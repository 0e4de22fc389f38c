import { fastPathsEnabled } from '@flotilla/fast-paths';
import { JsonReader } from './json-reader.ts';
import { tooManyValues } from './json-syntax-error.ts';
import type { JsonValue } from './json-value.ts';

export { JsonSyntaxError } from './json-syntax-error.ts';

export interface ParsedJson {
  readonly value: JsonValue;
  /** The field paths of duplicate members, in document order. The last of the duplicate values is used. */
  readonly duplicates: string[];
}

/** The maximum nesting depth of texts that JSON.parse parses, because counting the members afterwards is recursive. */
export const maxParseDepth = 200;

/**
 * The maximum number of values in a request body. No real object has as many. Without a limit, a body of a few
 * megabytes could contain a million small values and block all other requests for seconds.
 */
export const maxValues = 60_000;

/**
 * Matches the escape of a surrogate. An unpaired surrogate can only come from an escape, because the text was UTF-8.
 */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * Parses text that a client sent. Throws JsonSyntaxError. The plain path uses JsonReader. The fast path uses
 * JSON.parse, which is several times faster, unless a quick scan finds something that JSON.parse would parse
 * differently.
 */
export function parseJson(text: string): ParsedJson {
  const members = fastPathsEnabled() ? plainMembers(text) : -1;
  if (members >= 0) {
    const value = parseOrUndefined(text);
    if (value !== undefined && countMembers(value) === members) return { value, duplicates: [] };
  }
  const reader = new JsonReader(text, maxValues);
  const value = reader.read();
  return { value, duplicates: reader.duplicates };
}

/**
 * Parses text that this program wrote, so it is valid and has no duplicates. The fast path uses JSON.parse, unless the
 * text contains long integers, which only JsonReader parses exactly.
 */
export function parseTrustedJson(text: string): JsonValue {
  return !fastPathsEnabled() || hasLongDigits(text) ? new JsonReader(text).read() : (JSON.parse(text) as JsonValue);
}

/** The number of digits from which an integer may be too large for a double. Integers with fewer digits are exact. */
const longRun = 16;

/** True if the text contains 16 consecutive digits. Checking every 16th character is enough to find them. */
function hasLongDigits(text: string): boolean {
  for (let at = longRun - 1; at < text.length; at += longRun) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    while (isDigit(text.charCodeAt(from - 1))) from--;
    let to = at + 1;
    while (isDigit(text.charCodeAt(to))) to++;
    if (to - from >= longRun) return true;
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
 * Counts the members of all objects in the text, which is the number of colons outside strings. Each duplicate member
 * counts. Returns -1 if JSON.parse would parse the text differently from JsonReader. Throws JsonSyntaxError for too
 * many values.
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
      if (++values > maxValues) throw tooManyValues(maxValues);
    } else if (code === 0x7b || code === 0x5b) {
      if (++values > maxValues) throw tooManyValues(maxValues);
      if (++depth > maxParseDepth) return -1;
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

/**
 * Counts the members of all objects in a value. Returns NaN, which no expected count equals, if a number is infinite.
 */
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
