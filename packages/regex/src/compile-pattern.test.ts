import { describe, expect, it } from 'vitest';
import { compilePattern, matchUnits, PatternError, PatternSizeError } from './compile-pattern.ts';

function unitsOf(pattern: string): number {
  let used = 0;
  compilePattern(pattern, (units) => {
    used += units;
  });
  return used;
}

describe('compiling a pattern', () => {
  it('accepts the patterns that schemas have', () => {
    for (const pattern of [
      '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$',
      '^(\\d{4})-(\\d{2})-(\\d{2})T.{1,253}$',
      '^(([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])\\.){3}([0-9]|[1-9][0-9])$',
      `^(${Array.from({ length: 300 }, (_, at) => `zone-${at}`).join('|')})$`,
    ]) {
      expect(unitsOf(pattern)).toBeLessThan(10_000_000);
    }
  });

  it.each([
    ['repetitions one after the other', 'a{1000}'.repeat(6)],
    ['a repetition of a long group', `(?:${'a?'.repeat(450)}){1000}`],
    ['nested repetitions', '(?:(?:[a-z]{1,10}\\.?){1,10}){0,90}'],
    ['megabytes of repetitions', 'a{1000}'.repeat(400_000)],
  ])('rejects %s before it is compiled', (_name, pattern) => {
    const charged: number[] = [];
    expect(() => compilePattern(pattern, (units) => void charged.push(units))).toThrow(PatternSizeError);
    expect(charged).toEqual([]);
  });

  it('names what is invalid', () => {
    expect(() => unitsOf('(')).toThrow(PatternError);
    expect(() => unitsOf('a{1001}')).toThrow(/repeat/);
    expect(() => unitsOf('(?=a)')).toThrow(PatternError);
  });

  it('is not done if the caller cannot pay for it', () => {
    expect(() =>
      compilePattern('a', () => {
        throw new RangeError('too much');
      }),
    ).toThrow(new RangeError('too much'));
  });

  it('charges work in proportion to what is compiled', () => {
    expect(unitsOf('a{1000}')).toBeGreaterThan(100 * unitsOf('a'));
    expect(unitsOf('a'.repeat(1000))).toBeGreaterThan(500 * unitsOf('a'));
  });
});

it('a match is charged by the length of the text and the size of the pattern', () => {
  const [small, large] = [compilePattern('a', () => {}), compilePattern('a{1000}', () => {})];
  expect(matchUnits(large, 'x'.repeat(100))).toBeGreaterThan(50 * matchUnits(small, 'x'.repeat(100)));
  expect(matchUnits(small, 'x'.repeat(10_000))).toBeGreaterThan(90 * matchUnits(small, 'x'.repeat(100)));
});
