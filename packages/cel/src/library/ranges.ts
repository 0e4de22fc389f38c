import { EvaluationError } from '../meter.ts';
import { CelDuration, CelTimestamp, CelUint } from '../value.ts';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** The valid range of timestamps in nanoseconds: the years 1 to 9999. */
const TIMESTAMP_MIN = -62_135_596_800n * 1_000_000_000n;
const TIMESTAMP_MAX = 253_402_300_799n * 1_000_000_000n + 999_999_999n;

export function checkedInt(value: bigint): bigint {
  if (value < INT_MIN || value > INT_MAX) throw new EvaluationError('integer overflow');
  return value;
}

export function checkedUint(value: bigint): CelUint {
  if (value < 0n || value > UINT_MAX) throw new EvaluationError('unsigned integer overflow');
  return new CelUint(value);
}

export function checkedTimestamp(nanos: bigint, offset = 0): CelTimestamp {
  if (nanos < TIMESTAMP_MIN || nanos > TIMESTAMP_MAX) throw new EvaluationError('timestamp overflow');
  return new CelTimestamp(nanos, offset);
}

export function checkedDuration(nanos: bigint): CelDuration {
  if (nanos < INT_MIN || nanos > INT_MAX) throw new EvaluationError('integer overflow');
  return new CelDuration(nanos);
}
