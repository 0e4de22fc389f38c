import type { CallValues } from '../command-call.ts';
import { parseDuration } from './parse-duration.ts';

const defaultTimeout = 5 * 60_000;

/** Returns the value of `--timeout` in milliseconds, or the default. */
export function timeoutFromOptions(values: Pick<CallValues, 'text'>): number {
  const given = values.text('timeout');
  return given === undefined ? defaultTimeout : parseDuration(given, 'timeout') * 1000;
}
