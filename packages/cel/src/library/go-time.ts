import { EvaluationError } from '../meter.ts';
import { CelDuration, type CelTimestamp } from '../value.ts';
import { checkedDuration, checkedTimestamp } from './ranges.ts';

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const WHOLE_DURATION = /^([-+]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PIECE = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g;

/** Parses a duration in Go's syntax with nanosecond precision: `1h15m`, `-1.5s`, `0`. */
export function parseDuration(text: string): CelDuration | undefined {
  if (/^[-+]?0$/.test(text)) return new CelDuration(0n);
  const sign = WHOLE_DURATION.exec(text)?.[1];
  if (sign === undefined) return undefined;
  let nanos = 0n;
  for (const [, whole, fraction, unit] of text.matchAll(PIECE)) {
    const size = UNITS[unit as string] as bigint;
    nanos += BigInt(whole === '' ? 0 : (whole as string)) * size;
    if (fraction) nanos += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  }
  return checkedDuration(sign === '-' ? -nanos : nanos);
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** Parses an RFC 3339 timestamp. Returns `undefined` if the text or the date (February 30) is invalid. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const parts = RFC3339.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second);
  const zone = parts[8] as string;
  const offset =
    zone.length === 1 ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  const fraction = BigInt((parts[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return checkedTimestamp((BigInt(date.getTime()) - BigInt(offset) * 60_000n) * 1_000_000n + fraction, offset);
}

/** Formats a timestamp in RFC 3339 without trailing zeros in the fraction: `1970-01-01T00:00:00.5Z`. */
export function formatTimestamp(stamp: CelTimestamp): string {
  const seconds = floorDivide(stamp.nanos, 1_000_000_000n);
  const fraction = stamp.nanos - seconds * 1_000_000_000n;
  const text = new Date(Number(seconds) * 1000 + stamp.offset * 60_000).toISOString().slice(0, -5);
  return `${text}${decimals(fraction)}${zoneText(stamp.offset)}`;
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const size = Math.abs(offset);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.trunc(size / 60))}:${two(size % 60)}`;
}

/** Formats a duration in seconds, as CEL does: `3600s`, `0.5s`. */
export function formatDuration(duration: CelDuration): string {
  const size = duration.nanos < 0n ? -duration.nanos : duration.nanos;
  const sign = duration.nanos < 0n ? '-' : '';
  return `${sign}${size / 1_000_000_000n}${decimals(size % 1_000_000_000n)}s`;
}

function decimals(nanos: bigint): string {
  return nanos === 0n ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`;
}

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by !== 0n && value < 0n ? quotient - 1n : quotient;
}

/** Converts a timestamp to local time. `zone` is a time zone name or an offset `±hh:mm`; the default is UTC. */
export function localDate(stamp: CelTimestamp, zone: string | undefined): Date {
  const milliseconds = Number(floorDivide(stamp.nanos, 1_000_000n));
  if (zone === undefined || zone === 'UTC') return new Date(milliseconds);
  const fixed = /^([+-]?)(\d{1,2}):(\d\d)$/.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return new Date(milliseconds + (fixed[1] === '-' ? -minutes : minutes) * 60_000);
  }
  return zonedDate(milliseconds, zone);
}

/** Converts a time to the local time of a named zone. The UTC fields of the returned Date contain the local time. */
function zonedDate(milliseconds: number, zone: string): Date {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new EvaluationError(`unknown time zone ${zone}`);
  }
  const part = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]));
  const date = new Date(0);
  date.setUTCFullYear(part.get('year') ?? 0, (part.get('month') ?? 1) - 1, part.get('day') ?? 1);
  date.setUTCHours(part.get('hour') ?? 0, part.get('minute') ?? 0, part.get('second') ?? 0, milliseconds % 1000);
  return date;
}
