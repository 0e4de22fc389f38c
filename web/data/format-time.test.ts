import { expect, it } from 'vitest';
import { formatDate, formatDay, formatTime } from './format-time.ts';

it('times are written so that the day and the month cannot be confused', () => {
  const time = new Date(2026, 1, 3, 21, 4, 5).getTime();
  expect(formatTime(time)).toBe('3 Feb 2026, 21:04:05');
  expect(formatTime(new Date(time).toISOString())).toBe('3 Feb 2026, 21:04:05');
  expect(formatDate(time)).toBe('3 Feb 2026');
});

it('writes days in UTC like dates, in every time zone', () => {
  expect(formatDay('2026-02-03')).toBe('3 Feb 2026');
});
