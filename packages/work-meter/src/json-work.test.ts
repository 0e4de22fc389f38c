import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { type JsonUnits, jsonWork, tryChargeJson } from './json-work.ts';
import { WorkMeter } from './work-meter.ts';

const units: JsonUnits = { perScalar: 1, perContainer: 10, perMember: 100, perCharacter: 0 };
const unlimited = Number.POSITIVE_INFINITY;

describe('the work for a JSON value', () => {
  it('is the sum of its parts', () => {
    expect(jsonWork(null, units, unlimited)).toBe(1);
    expect(jsonWork([1, 'a', null], units, unlimited)).toBe(13);
    expect(jsonWork({ a: true, b: [] }, units, unlimited)).toBe(10 + 2 * 100 + 2 + 1 + 10);
  });

  it('includes characters, escapes and indentation', () => {
    expect(jsonWork('abc', { ...units, perCharacter: 5 }, unlimited)).toBe(16);
    expect(jsonWork('a"\n', { ...units, perEscape: 5 }, unlimited)).toBe(11);
    expect(jsonWork([[1]], { ...units, perLevel: 1000 }, unlimited)).toBe(21 + 1000 + 2000);
  });

  it('counts parts of a value as often as they occur, but stops at the limit', () => {
    let value: JsonValue = 'x';
    for (let level = 0; level < 60; level++) value = [value, value];
    const work = jsonWork(value, units, 10_000);
    expect(work).toBeGreaterThan(10_000);
    expect(work).toBeLessThan(10_100);
  });

  it('stops at the limit also in one large object', () => {
    const value = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key-${at}`, { a: 1 }]));
    expect(jsonWork(value, units, 1_000)).toBeLessThan(50_000 * 131);
  });

  it('rejects a value that is nested too deeply', () => {
    expect(() => jsonWork([[[1]]], { ...units, maxDepth: 2 }, unlimited)).toThrow('nested more than 2 levels deep');
    expect(jsonWork([[1]], { ...units, maxDepth: 2 }, unlimited)).toBe(21);
  });
});

it('a meter charges a value that fits, and everything that remains for a value that does not fit', () => {
  const meter = new WorkMeter('the test', 100);
  expect(tryChargeJson(meter, [1, 2], units)).toBe(true);
  expect(meter.used).toBe(12);
  expect(tryChargeJson(meter, { a: 1 }, units)).toBe(false);
  expect(meter.remaining).toBe(0);
});
