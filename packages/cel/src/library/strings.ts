import { createTextSearch, lastIndexOfText, splitText } from '@flotilla/go-text';
import { BOOL, DYN, INT, listOf, STRING } from '../cel-type.ts';
import { EvaluationError, type Meter } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { type CelList, PlainList } from '../value.ts';
import { byCodePoint, codePointCount, sliceByCodePoint } from './code-points.ts';
import { formatText } from './format-text.ts';

type Texts = readonly [string, string];

/** The string functions of CEL and of CEL's string extension, which Kubernetes enables. */
export const strings: readonly Overload[] = [
  method(
    'contains',
    'contains_string',
    signature([STRING, STRING], BOOL),
    ([text, part]: Texts) => createTextSearch(part)(text, 0) >= 0,
  ),
  method('startsWith', 'starts_with_string', signature([STRING, STRING], BOOL), ([text, part]: Texts) =>
    text.startsWith(part),
  ),
  method('endsWith', 'ends_with_string', signature([STRING, STRING], BOOL), ([text, part]: Texts) =>
    text.endsWith(part),
  ),
  method(
    'charAt',
    'string_char_at_int',
    signature([STRING, INT], STRING),
    ([text, index]: readonly [string, bigint], { meter }) => {
      meter.work(text.length >> 2);
      const indexed = byCodePoint(text);
      if (index < 0n || index > BigInt(indexed.length)) throw outOfRange(index);
      return indexed[Number(index)] ?? '';
    },
  ),
  method('indexOf', 'string_index_of_string', signature([STRING, STRING], INT), ([text, part]: Texts) =>
    indexOf(text, part, 0n),
  ),
  method(
    'indexOf',
    'string_index_of_string_int',
    signature([STRING, STRING, INT], INT),
    ([text, part, from]: readonly [string, string, bigint]) => indexOf(text, part, from),
  ),
  method('lastIndexOf', 'string_last_index_of_string', signature([STRING, STRING], INT), ([text, part]: Texts) =>
    lastIndexOf(text, part, undefined),
  ),
  method(
    'lastIndexOf',
    'string_last_index_of_string_int',
    signature([STRING, STRING, INT], INT),
    ([text, part, from]: readonly [string, string, bigint]) => lastIndexOf(text, part, from),
  ),
  method('lowerAscii', 'string_lower_ascii', signature([STRING], STRING), ([text]: readonly [string]) =>
    text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  ),
  method('upperAscii', 'string_upper_ascii', signature([STRING], STRING), ([text]: readonly [string]) =>
    text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
  ),
  method('trim', 'string_trim', signature([STRING], STRING), ([text]: readonly [string]) => trimmed(text)),
  method(
    'replace',
    'string_replace_string_string',
    signature([STRING, STRING, STRING], STRING),
    ([text, from, to]: readonly [string, string, string], { meter }) => replaced(text, { from, to, limit: -1 }, meter),
  ),
  method(
    'replace',
    'string_replace_string_string_int',
    signature([STRING, STRING, STRING, INT], STRING),
    ([text, from, to, limit]: readonly [string, string, string, bigint], { meter }) =>
      replaced(text, { from, to, limit: Number(limit) }, meter),
  ),
  method('split', 'string_split_string', signature([STRING, STRING], listOf(STRING)), ([text, by]: Texts) =>
    split(text, by, -1),
  ),
  method(
    'split',
    'string_split_string_int',
    signature([STRING, STRING, INT], listOf(STRING)),
    ([text, by, limit]: readonly [string, string, bigint]) => split(text, by, Number(limit)),
  ),
  method(
    'substring',
    'string_substring_int',
    signature([STRING, INT], STRING),
    ([text, from]: readonly [string, bigint]) => {
      const length = BigInt(codePointCount(text));
      if (from < 0n || from > length) throw outOfRange(from);
      return sliceByCodePoint(text, Number(from), text.length);
    },
  ),
  method(
    'substring',
    'string_substring_int_int',
    signature([STRING, INT, INT], STRING),
    ([text, from, to]: readonly [string, bigint, bigint]) => {
      const length = BigInt(codePointCount(text));
      if (from > to) throw new EvaluationError(`invalid substring range. start: ${from}, end: ${to}`);
      if (from < 0n || from > length) throw outOfRange(from);
      if (to < 0n || to > length) throw outOfRange(to);
      return sliceByCodePoint(text, Number(from), Number(to));
    },
  ),
  method('join', 'list_join', signature([listOf(STRING)], STRING), ([list]: readonly [CelList], { meter }) =>
    joined(list, '', meter),
  ),
  method(
    'join',
    'list_join_string',
    signature([listOf(STRING), STRING], STRING),
    ([list, by]: readonly [CelList, string], { meter }) => joined(list, by, meter),
  ),
  method(
    'format',
    'string_format',
    signature([STRING, listOf(DYN)], STRING),
    ([text, values]: readonly [string, CelList], { meter }) => formatText(text, values, meter),
  ),
  overload('strings.quote', 'strings_quote', signature([STRING], STRING), ([text]: readonly [string]) => quoted(text)),
];

function outOfRange(index: bigint): EvaluationError {
  return new EvaluationError(`index out of range: ${index}`);
}

/** Converts an index in code points to an index in UTF-16 units, which JavaScript uses. */
function unitsAt(text: string, index: number): number {
  return sliceByCodePoint(text, 0, index).length;
}

function indexOf(text: string, part: string, from: bigint): bigint {
  if (part === '') return from;
  if (from < 0n) throw outOfRange(from);
  if (from > BigInt(text.length)) return -1n;
  const found = createTextSearch(part)(text, unitsAt(text, Number(from)));
  return found < 0 ? -1n : BigInt(codePointCount(text.slice(0, found)));
}

function lastIndexOf(text: string, part: string, from: bigint | undefined): bigint {
  const length = BigInt(codePointCount(text));
  if (part === '') return from ?? length;
  if (from !== undefined && (from < 0n || from > length)) throw outOfRange(from);
  const found = lastIndexOfText(text, part, from === undefined ? text.length : unitsAt(text, Number(from)));
  return found < 0 ? -1n : BigInt(codePointCount(text.slice(0, found)));
}

/**
 * Trims white space as Unicode defines it. Unlike JavaScript, Unicode counts U+0085 as white space, but not U+FEFF.
 * Does not use a regular expression, which would take quadratic time for a text with much white space in the middle.
 */
function trimmed(text: string): string {
  let start = 0;
  while (start < text.length && isSpace(text, start)) start++;
  let end = text.length;
  while (end > start && isSpace(text, end - 1)) end--;
  return text.slice(start, end);
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code === 0x85 || (code !== 0xfeff && /\s/.test(text.charAt(at)));
}

interface Replacement {
  readonly from: string;
  readonly to: string;
  /** The maximum number of replacements. A negative number means no maximum. */
  readonly limit: number;
}

/**
 * Replaces text. The result may be far longer than the input, so the cost of the result is charged before the result is
 * built.
 */
function replaced(text: string, { from, to, limit }: Replacement, meter: Meter): string {
  if (limit === 0 || from === to) return text;
  if (from === '') {
    const characters = [...text];
    const times = limit < 0 ? characters.length + 1 : Math.min(limit, characters.length + 1);
    meter.work(times * to.length);
    const surrounded = characters.map((one, index) => (index < times ? to + one : one)).join('');
    return times > characters.length ? surrounded + to : surrounded;
  }
  const parts = splitText(text, from);
  meter.work(parts.length * to.length);
  if (limit < 0 || limit >= parts.length - 1) return parts.join(to);
  return [parts.slice(0, limit + 1).join(to), ...parts.slice(limit + 1)].join(from);
}

function split(text: string, by: string, limit: number): PlainList {
  if (limit === 0) return new PlainList([]);
  const parts = by === '' ? [...text] : splitText(text, by);
  if (limit > 0 && parts.length > limit) parts.splice(limit - 1, parts.length, parts.slice(limit - 1).join(by));
  return new PlainList(parts);
}

function joined(list: CelList, by: string, meter: Meter): string {
  const parts: string[] = [];
  for (const one of list) {
    if (typeof one !== 'string') throw new EvaluationError('join: list elements must be strings');
    meter.work(one.length + by.length);
    parts.push(one);
  }
  return parts.join(by);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are escaped here.
  return `"${text.toWellFormed().replace(/[\x07\b\f\n\r\t\v\\"]/g, (one) => ESCAPES[one] as string)}"`;
}
