import { goQuote } from '@flotilla/go-text';
import { parseGoDuration } from '../../../../http/request/go-duration.ts';
import { timeZoneFault } from './time-zone.ts';

/** The values of a field of a schedule. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The fields of a schedule in their order: minute, hour, day of the month, month, day of the week. */
export const fieldBounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
export const every = '@every ';

/** Returns the reason why a cron schedule is invalid, worded as in Kubernetes; `undefined` if it is valid. */
export function cronScheduleFault(schedule: string): string | undefined {
  let spec = schedule;
  if (spec.startsWith('TZ=') || spec.startsWith('CRON_TZ=')) {
    const space = spec.indexOf(' ');
    if (space === -1) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
    const zone = spec.slice(spec.indexOf('=') + 1, space);
    const fault = timeZoneFault(zone);
    if (fault !== undefined) return `provided bad location ${zone}: ${fault}`;
    spec = spec.slice(space).trim();
  }
  if (spec.startsWith('@')) return descriptorFault(spec);
  const fields = spec.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== fieldBounds.length) {
    return `expected exactly ${fieldBounds.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, bounds] of fieldBounds.entries()) {
    const fault = fieldFault(fields[index] ?? '', bounds);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function descriptorFault(descriptor: string): string | undefined {
  if (descriptors.includes(descriptor)) return undefined;
  if (!descriptor.startsWith(every)) return `unrecognized descriptor: ${descriptor}`;
  try {
    parseGoDuration(descriptor.slice(every.length));
    return undefined;
  } catch (error) {
    return `failed to parse duration ${descriptor}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function fieldFault(field: string, bounds: Bounds): string | undefined {
  for (const range of field.split(',')) {
    const fault = range === '' ? undefined : rangeFault(range, bounds);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Thrown by `parseRange`. */
class ScheduleError extends Error {}

function rangeFault(text: string, bounds: Bounds): string | undefined {
  try {
    const { start, end, step } = parseRange(text, bounds);
    const { min, max } = bounds;
    if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
    if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
    if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
    return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

/** The values from `start` to `end` in steps. `isStar` is true for `*` and `?`. */
interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isStar: boolean;
}

/** Parses one range of a field. The caller checks the values against the bounds. */
export function parseRange(text: string, bounds: Bounds): Range {
  const [range = '', step, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreLimits] = range.split('-');
  const isStar = low === '*' || low === '?';
  const start = isStar ? bounds.min : valueIn(low, bounds);
  if (!isStar && moreLimits.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  let end = isStar ? bounds.max : high === undefined ? start : valueIn(high, bounds);
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  if (step === undefined) return { start, end, step: 1, isStar };
  const parsed = integerOf(step);
  // A single number with a step is a range up to the maximum.
  if (high === undefined) end = bounds.max;
  return { start, end, step: parsed, isStar };
}

function valueIn(text: string, { min, names = [] }: Bounds): number {
  const index = names.indexOf(text.toLowerCase());
  return index === -1 ? integerOf(text) : index + min;
}

function integerOf(text: string): number {
  const fault = (problem: string) =>
    new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${problem}`);
  if (!/^\+?[0-9]+$/.test(text)) throw fault('invalid syntax');
  const value = Number(text);
  if (value >= 2 ** 63) throw fault('value out of range');
  return value;
}
