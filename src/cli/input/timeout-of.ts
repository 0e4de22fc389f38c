import type { CallValues } from '../command-call.ts';
import { parseDuration } from './parse-duration.ts';

const usual = 5 * 60_000;

/** Milliseconds of `--timeout`. */
export function timeoutOf(values: Pick<CallValues, 'text'>): number {
  const given = values.text('timeout');
  return given === undefined ? usual : parseDuration(given, 'timeout') * 1000;
}
