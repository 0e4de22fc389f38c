import { expect, it } from 'vitest';
import { ageText } from './age-text.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

it.each([
  [-2 * second, '<invalid>'],
  [-1.5 * second, '0s'],
  [0, '0s'],
  [119 * second, '119s'],
  [120 * second, '2m'],
  [121 * second, '2m1s'],
  [10 * minute - second, '9m59s'],
  [10 * minute, '10m'],
  [3 * hour - second, '179m'],
  [3 * hour, '3h'],
  [3 * hour + minute, '3h1m'],
  [8 * hour, '8h'],
  [48 * hour - second, '47h'],
  [48 * hour, '2d'],
  [49 * hour, '2d1h'],
  [8 * day, '8d'],
  [2 * year - second, '729d'],
  [2 * year, '2y'],
  [2 * year + day, '2y1d'],
  [8 * year + 3 * day, '8y'],
])('prints %d ms as %s (TABLE-05)', (milliseconds, text) => {
  expect(ageText(milliseconds)).toBe(text);
});
