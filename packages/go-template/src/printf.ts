import { goQuote } from '@flotilla/go-text';
import { formatNumber, formatValue, type Value } from './values.ts';

const verb = /%([-+# 0]*)(\d*)(?:\.(\d*))?([a-zA-Z%])/g;
const maxWidth = 1000;

/** The capture groups of the regular expression `verb`. */
type VerbGroups = [flags: string, width: string, precision: string | undefined, letter: string];

/** Formats template values like Go's `Sprintf`. Throws Error for an unsupported verb. */
export function sprintf(format: string, values: readonly Value[]): string {
  let next = 0;
  const text = format.replace(verb, (whole, ...[flags, width, precision, letter]: VerbGroups) => {
    if (letter === '%') return '%';
    if (Number(width) > maxWidth || Number(precision ?? 0) > maxWidth)
      throw new Error(`the width of ${whole} exceeds ${maxWidth}`);
    if (next >= values.length) return `%!${letter}(MISSING)`;
    return padded(withSign(body(values[next++] ?? null, letter, precision), flags), flags, Number(width), letter);
  });
  if (next === values.length) return text;
  const extra = values.slice(next).map((value) => `${goType(value)}=${formatValue(value)}`);
  return `${text}%!(EXTRA ${extra.join(', ')})`;
}

function body(value: Value, letter: string, precision: string | undefined): string {
  const digits = precision === undefined ? undefined : Number(precision);
  const asNumber = typeof value === 'number' ? value : undefined;
  const isInteger = typeof value === 'bigint' || Number.isInteger(value);
  switch (letter) {
    case 'v':
      return value === null ? '<nil>' : formatValue(value);
    case 's':
      return typeof value === 'string'
        ? truncate(value, digits)
        : typeof value === 'object' && value !== null
          ? formatValue(value)
          : badVerb(value, letter);
    case 'q':
      return typeof value === 'string' ? goQuote(value) : badVerb(value, letter);
    case 't':
      return typeof value === 'boolean' ? String(value) : badVerb(value, letter);
    case 'd':
      return isInteger ? String(value) : badVerb(value, letter);
    case 'x':
      if (typeof value === 'string') return hex(value);
      return isInteger ? BigInt(value as number | bigint).toString(16) : badVerb(value, letter);
    case 'f':
      return asNumber !== undefined ? asNumber.toFixed(Math.min(digits ?? 6, 100)) : badVerb(value, letter);
    case 'e':
      return asNumber !== undefined
        ? asNumber.toExponential(Math.min(digits ?? 6, 100)).replace(/e([+-])(\d)$/, 'e$10$2')
        : badVerb(value, letter);
    case 'g':
      return asNumber !== undefined ? formatNumber(asNumber) : badVerb(value, letter);
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
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (!flags.includes('0') || 'sqtv'.includes(letter)) return ' '.repeat(missing) + text;
  return /^[+-]/.test(text) ? `${text.slice(0, 1)}${'0'.repeat(missing)}${text.slice(1)}` : '0'.repeat(missing) + text;
}

function badVerb(value: Value, letter: string): string {
  return value === null ? `%!${letter}(<nil>)` : `%!${letter}(${goType(value)}=${formatValue(value)})`;
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
  return length === undefined ? text : [...text].slice(0, length).join('');
}

function hex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
