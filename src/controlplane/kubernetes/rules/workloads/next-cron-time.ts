import { parseGoDuration } from '../../../../http/request/go-duration.ts';
import { type Bounds, every, fieldBounds, parseRange } from './cron-schedule.ts';

const minuteMs = 60_000;
/** The longest time between two matches is eight years: 29 February around a year such as 2100. */
const horizonMs = 9 * 366 * 24 * 60 * minuteMs;

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** The wall clock of a time zone at a point in time. */
interface LocalTime {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

/**
 * Returns the first time after `after` at which a schedule is due, in milliseconds since the epoch; `undefined` if the
 * schedule is never due, as for 30 February. The schedule must be valid (`cronScheduleFault`) and must not contain a
 * time zone. As in Kubernetes, a local time that the time zone skips is not due, and a local time that the time zone
 * repeats is due twice.
 */
export function nextCronTime(schedule: string, after: number, timeZone: string): number | undefined {
  if (schedule.startsWith(every)) return after + Math.max(1, parseGoDuration(schedule.slice(every.length)));
  const matches = matcherOf(descriptors[schedule] ?? schedule);
  const localTime = localClock(timeZone);
  let time = Math.floor(after / minuteMs) * minuteMs + minuteMs;
  const end = after + horizonMs;
  while (time <= end) {
    const local = localTime(time);
    if (!matches.hour(local)) time += (60 - local.minute) * minuteMs;
    else if (matches.minute(local)) return time;
    else time += minuteMs;
  }
  return undefined;
}

/**
 * The functions that compare a time with a schedule. `hour` compares the hour and the date, `minute` only the minute.
 */
interface Matcher {
  hour(local: LocalTime): boolean;
  minute(local: LocalTime): boolean;
}

function matcherOf(schedule: string): Matcher {
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  const [minutes, hours, days, months, weekdays] = fieldBounds.map((bounds, index) => {
    return valuesOf(fields[index] ?? '', bounds);
  }) as [FieldValues, FieldValues, FieldValues, FieldValues, FieldValues];
  // If both the day of the month and the day of the week are restricted, only one of them needs to match.
  const isDay = ({ day, weekday }: LocalTime) =>
    days.isStar || weekdays.isStar
      ? days.values.has(day) && weekdays.values.has(weekday)
      : days.values.has(day) || weekdays.values.has(weekday);
  return {
    hour: (local) => months.values.has(local.month) && isDay(local) && hours.values.has(local.hour),
    minute: ({ minute }) => minutes.values.has(minute),
  };
}

interface FieldValues {
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}

function valuesOf(field: string, bounds: Bounds): FieldValues {
  const values = new Set<number>();
  let isStar = false;
  for (const text of field.split(',')) {
    if (text === '') continue;
    const range = parseRange(text, bounds);
    if (range.isStar && range.step === 1) isStar = true;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
  }
  return { values, isStar };
}

const weekdayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function localClock(timeZone: string): (time: number) => LocalTime {
  if (timeZone === 'UTC' || timeZone === 'Etc/UTC') {
    return (time) => {
      const date = new Date(time);
      return {
        minute: date.getUTCMinutes(),
        hour: date.getUTCHours(),
        day: date.getUTCDate(),
        month: date.getUTCMonth() + 1,
        weekday: date.getUTCDay(),
      };
    };
  }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', weekday: 'short' },
  });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    return {
      minute: number('minute'),
      hour: number('hour'),
      day: number('day'),
      month: number('month'),
      weekday: weekdayNames.indexOf(parts.get('weekday') ?? ''),
    };
  };
}
