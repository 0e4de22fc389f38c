import { DURATION, INT, STRING, TIMESTAMP } from '../cel-type.ts';
import { method, type Overload, signature } from '../overload.ts';
import type { CelDuration, CelTimestamp } from '../value.ts';
import { localDate } from './go-time.ts';

/** The CEL functions that return fields of a timestamp (in UTC or in a given time zone) or of a duration. */
export const time: readonly Overload[] = [
  ...part('getFullYear', 'year', (date) => date.getUTCFullYear()),
  ...part('getMonth', 'month', (date) => date.getUTCMonth()),
  ...part('getDate', 'day_of_month_1_based', (date) => date.getUTCDate()),
  ...part('getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1),
  ...part('getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()),
  ...part('getDayOfYear', 'day_of_year', dayOfYear),
  ...part('getHours', 'hours', (date) => date.getUTCHours(), 3_600_000_000_000n),
  ...part('getMinutes', 'minutes', (date) => date.getUTCMinutes(), 60_000_000_000n),
  ...part('getSeconds', 'seconds', (date) => date.getUTCSeconds(), 1_000_000_000n),
  ...part('getMilliseconds', 'milliseconds', (date) => date.getUTCMilliseconds(), 1_000_000n),
];

function part(name: string, id: string, of: (date: Date) => number, unit?: bigint): Overload[] {
  return [
    method(name, `timestamp_to_${id}`, signature([TIMESTAMP], INT), ([stamp]: readonly [CelTimestamp]) =>
      BigInt(of(localDate(stamp, undefined))),
    ),
    method(
      name,
      `timestamp_to_${id}_with_tz`,
      signature([TIMESTAMP, STRING], INT),
      ([stamp, zone]: readonly [CelTimestamp, string]) => BigInt(of(localDate(stamp, zone))),
    ),
    ...(unit === undefined
      ? []
      : [
          method(
            name,
            `duration_to_${id}`,
            signature([DURATION], INT),
            ([length]: readonly [CelDuration]) => length.nanos / unit,
          ),
        ]),
  ];
}

function dayOfYear(date: Date): number {
  const first = new Date(date);
  first.setUTCMonth(0, 1);
  return Math.round((date.getTime() - first.getTime()) / 86_400_000);
}
