import { goQuote } from '@flotilla/go-text';
import { EvaluationError, type Meter } from '../meter.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeName,
  CelUint,
  type CelValue,
  typeNameOf,
} from '../value.ts';
import { formatDouble } from './format-double.ts';
import { formatDuration, formatTimestamp } from './go-time.ts';

/** The types of the values that each format verb accepts, and the error message for a value of another type. */
export const FORMAT_VERBS: ReadonlyMap<string, { readonly message: string; readonly types: readonly string[] }> =
  new Map([
    [
      's',
      {
        message:
          'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
        types:
          'string bool bytes int uint double map list type google.protobuf.Duration google.protobuf.Timestamp null_type'.split(
            ' ',
          ),
      },
    ],
    ['d', { message: 'decimal clause can only be used on integers', types: ['int', 'uint'] }],
    ['f', { message: 'fixed-point clause can only be used on doubles', types: ['double'] }],
    ['e', { message: 'scientific clause can only be used on doubles', types: ['double'] }],
    ['b', { message: 'only integers and bools can be formatted as binary', types: ['int', 'uint', 'bool'] }],
    [
      'x',
      {
        message: 'only integers, byte buffers, and strings can be formatted as hex',
        types: ['int', 'uint', 'string', 'bytes'],
      },
    ],
    [
      'X',
      {
        message: 'only integers, byte buffers, and strings can be formatted as hex',
        types: ['int', 'uint', 'string', 'bytes'],
      },
    ],
    ['o', { message: 'octal clause can only be used on integers', types: ['int', 'uint'] }],
  ]);

const CLAUSES = /%(?:%|(?:\.(\d+))?([\s\S])?)/g;

/**
 * Returns the verbs of a format text in order: `s` and `d` for `%s is %d`. Throws EvaluationError for unknown verbs.
 */
export function formatVerbs(text: string): string[] {
  const verbs: string[] = [];
  for (const [whole, , verb] of text.matchAll(CLAUSES)) {
    if (whole === '%%') continue;
    if (verb === undefined) throw new EvaluationError('unexpected end of string');
    if (!FORMAT_VERBS.has(verb)) {
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
    }
    verbs.push(verb);
  }
  return verbs;
}

/** Implements the CEL function `'%s is %d'.format([...])`. */
export function formatText(text: string, values: CelList, meter: Meter): string {
  const verbs = formatVerbs(text);
  let next = 0;
  return text.replace(CLAUSES, (whole, precision: string | undefined) => {
    if (whole === '%%') return '%';
    if (next >= values.size) throw new EvaluationError(`index ${next} out of range`);
    const made = clause(verbs[next] as string, precision === undefined ? 6 : Number(precision), values.at(next));
    next++;
    meter.work(made.length);
    return made;
  });
}

function clause(verb: string, precision: number, value: CelValue): string {
  const { message, types } = FORMAT_VERBS.get(verb) as { message: string; types: readonly string[] };
  const type = typeNameOf(value);
  if (!types.includes(type)) throw new EvaluationError(`error during formatting: ${message}, was given ${type}`);
  switch (verb) {
    case 'f':
      return real(value as number, (number) => number.toFixed(Math.min(precision, 100)));
    case 'e':
      // Kubernetes ignores the precision and always prints six digits after the decimal point.
      return real(value as number, (number) => scientific(number, 6));
    case 'd':
      return integer(value).toString();
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integer(value).toString(2);
    case 'o':
      return integer(value).toString(8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      return writeValue(value);
  }
}

function integer(value: CelValue): bigint {
  return value instanceof CelUint ? value.value : (value as bigint);
}

function hexadecimal(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integer(value).toString(16);
}

function real(value: number, write: (finite: number) => string): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  return write(value);
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Formats a number for the verb `%e` as Kubernetes does: `1.234500×10⁰³`. */
function scientific(value: number, precision: number): string {
  const [digits = '', exponent = '+0'] = value.toExponential(precision).split('e');
  const raised = exponent
    .slice(1)
    .padStart(2, '0')
    .replace(/\d/g, (digit) => RAISED[Number(digit)] as string);
  return `${digits}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}

/** Formats a value for the verb `%s`. */
function writeValue(value: CelValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTypeName) return value.name;
  if (value instanceof CelList) return `[${[...value].map(writeInside).join(', ')}]`;
  if (value instanceof CelMap) {
    const entries = [...value.keys()].map((key) => `${writeInside(key)}:${writeInside(value.find(key) as CelValue)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  throw new EvaluationError(
    `error during formatting: ${FORMAT_VERBS.get('s')?.message}, was given ${typeNameOf(value)}`,
  );
}

/** Formats an element of a list or map for the verb `%s`, in CEL syntax: strings are quoted. */
function writeInside(value: CelValue): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(6) : goQuote(real(value, String));
  if (value instanceof Uint8Array) return `b${goQuote(writeValue(value))}`;
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(formatTimestamp(value))})`;
  if (value instanceof CelDuration) return `duration(${goQuote(formatDuration(value))})`;
  return writeValue(value);
}
