import { goQuote } from '@flotilla/go-text';
import { chargeValue, quotedUnits } from './charge-value.ts';
import type { TemplateWork } from './template-work.ts';
import { formatNumber, formatValue, readText, type Value } from './values.ts';

/**
 * Matches the options of a verb. All options are optional, so the expression matches at every offset, without
 * backtracking.
 */
const options = /([-+# 0]*)(\d*)(?:\.(\d*))?/y;
const letters = /^[a-zA-Z%]$/;
const maxWidth = 1000;

/** The units of work for a verb, in addition to the units for its value. */
const unitsPerVerb = 50;

interface Verb {
  readonly flags: string;
  readonly width: string;
  readonly precision: string | undefined;
  readonly letter: string;
  /** The offset after the verb. */
  readonly end: number;
}

/** Formats template values like Go's `Sprintf`. Throws Error for an unsupported verb. */
export function sprintf(work: TemplateWork, format: string, values: readonly Value[]): string {
  readText(work, format);
  const parts: string[] = [];
  let next = 0;
  let end = 0;
  for (let at = format.indexOf('%'); at !== -1; at = format.indexOf('%', end)) {
    work.charge(unitsPerVerb);
    parts.push(format.slice(end, at));
    const verb = verbAt(format, at);
    end = verb?.end ?? at + 1;
    if (verb === undefined || verb.letter === '%') parts.push('%');
    else if (next >= values.length) parts.push(`%!${verb.letter}(MISSING)`);
    else parts.push(formatVerb(work, verb, values[next++] ?? null));
  }
  parts.push(format.slice(end));
  if (next < values.length) {
    const extra = values.slice(next).map((value) => `${goType(value)}=${formatValue(work, value)}`);
    parts.push(`%!(EXTRA ${extra.join(', ')})`);
  }
  return parts.join('');
}

/** Returns the verb at a `%`; `undefined` if the `%` does not start a verb. */
function verbAt(format: string, offset: number): Verb | undefined {
  options.lastIndex = offset + 1;
  const [whole = '', flags = '', width = '', precision] = options.exec(format) ?? [];
  const end = offset + 1 + whole.length;
  const letter = format[end] ?? '';
  if (!letters.test(letter)) return undefined;
  if (letter !== '%' && (Number(width) > maxWidth || Number(precision ?? 0) > maxWidth))
    throw new Error(`the width of %${whole}${letter} exceeds ${maxWidth}`);
  return { flags, width, precision, letter, end: end + 1 };
}

function formatVerb(work: TemplateWork, { flags, width, precision, letter }: Verb, value: Value): string {
  work.charge(Number(width) + Number(precision ?? 0));
  const text = body(work, value, letter, precision);
  return padded(withSign(text, flags), flags, Number(width), letter);
}

function body(work: TemplateWork, value: Value, letter: string, precision: string | undefined): string {
  const digits = precision === undefined ? undefined : Number(precision);
  const asNumber = typeof value === 'number' ? value : undefined;
  const isInteger = typeof value === 'bigint' || Number.isInteger(value);
  switch (letter) {
    case 'v':
      return value === null ? '<nil>' : formatValue(work, value);
    case 's':
      return typeof value === 'string'
        ? truncate(readText(work, value), digits)
        : typeof value === 'object' && value !== null
          ? formatValue(work, value)
          : badVerb(work, value, letter);
    case 'q':
      if (typeof value !== 'string') return badVerb(work, value, letter);
      chargeValue(work, value, quotedUnits);
      return goQuote(value);
    case 't':
      return typeof value === 'boolean' ? String(value) : badVerb(work, value, letter);
    case 'd':
      return isInteger ? String(value) : badVerb(work, value, letter);
    case 'x':
      if (typeof value === 'string') return hex(work, value);
      return isInteger ? BigInt(value as number | bigint).toString(16) : badVerb(work, value, letter);
    case 'f':
      return asNumber !== undefined ? asNumber.toFixed(Math.min(digits ?? 6, 100)) : badVerb(work, value, letter);
    case 'e':
      return asNumber !== undefined
        ? asNumber.toExponential(Math.min(digits ?? 6, 100)).replace(/e([+-])(\d)$/, 'e$10$2')
        : badVerb(work, value, letter);
    case 'g':
      return asNumber !== undefined ? formatNumber(asNumber) : badVerb(work, value, letter);
    case 'T':
      return goType(value);
    default:
      throw new Error(`unsupported verb %${letter}`);
  }
}

function withSign(text: string, flags: string): string {
  return /^\d/.test(text) && flags.includes('+') ? `+${text}` : text;
}

function padded(text: string, flags: string, width: number, letter: string): string {
  // A character has at most two UTF-16 code units, so a text of at least twice the width needs no padding.
  const missing = text.length >= 2 * width ? 0 : width - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (!flags.includes('0') || 'sqtv'.includes(letter)) return ' '.repeat(missing) + text;
  return /^[+-]/.test(text) ? `${text.slice(0, 1)}${'0'.repeat(missing)}${text.slice(1)}` : '0'.repeat(missing) + text;
}

function badVerb(work: TemplateWork, value: Value, letter: string): string {
  return value === null ? `%!${letter}(<nil>)` : `%!${letter}(${goType(value)}=${formatValue(work, value)})`;
}

function goType(value: Value): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function truncate(text: string, length: number | undefined): string {
  return length === undefined ? text : [...text.slice(0, 2 * length)].slice(0, length).join('');
}

/** The units of work for writing a byte in hexadecimal. UTF-8 needs at most three bytes per UTF-16 code unit. */
const unitsPerHexByte = 10;

function hex(work: TemplateWork, text: string): string {
  work.charge(text.length * unitsPerHexByte * 3);
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
