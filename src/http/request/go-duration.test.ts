import { expect, it } from 'vitest';
import { parseGoDuration } from './go-duration.ts';

it.each([
  ['0', 0],
  ['5s', 5000],
  ['1h15m30.918s', 4_530_918],
  ['-1.5h', -5_400_000],
  ['+.5s', 500],
  ['100us', 0.1],
  ['2µs', 0.002],
  ['1m0s', 60_000],
])('the duration %s is parsed (REQ-15)', (text, milliseconds) => {
  expect(parseGoDuration(text)).toBe(milliseconds);
});

it.each([
  ['', 'time: invalid duration ""'],
  ['x', 'time: invalid duration "x"'],
  ['5', 'time: missing unit in duration "5"'],
  ['5d', 'time: unknown unit "d" in duration "5d"'],
  ['5toString', 'time: unknown unit "toString" in duration "5toString"'],
  ['.s', 'time: invalid duration ".s"'],
  ['99999999999h', 'time: invalid duration "99999999999h"'],
])('the duration %s is rejected (REQ-15)', (text, message) => {
  expect(() => parseGoDuration(text)).toThrow(message);
});
