import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextSearch, lastIndexOfText, splitText } from './text-search.ts';

/**
 * Texts of two different characters, so that parts repeat. Some parts are too long for the search of the JavaScript
 * engine.
 */
const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 }).map((each) => each.repeat(40));
const part = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 }),
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 40 }).map((each) => each.repeat(210)),
  fc.constantFrom('a'.repeat(201), 'ab'.repeat(150), `${'a'.repeat(300)}b`),
);

describe('the search for a text', () => {
  it('finds the same as the functions of JavaScript', () => {
    fc.assert(
      fc.property(text, part, fc.nat(1_000), (searched, wanted, from) => {
        expect(createTextSearch(wanted)(searched, from)).toBe(searched.indexOf(wanted, from));
        expect(lastIndexOfText(searched, wanted, from)).toBe(searched.lastIndexOf(wanted, from));
        expect(lastIndexOfText(searched, wanted)).toBe(searched.lastIndexOf(wanted));
        expect(splitText(searched, wanted)).toEqual(searched.split(wanted));
      }),
    );
  });

  it.each([
    ['nearly matches everywhere', `b${'a'.repeat(500_000)}`],
    ['nearly matches everywhere except at its end', `${'a'.repeat(500_000)}b`],
    ['matches everywhere', 'a'.repeat(500_000)],
  ])('takes linear time for a part that %s', (_, wanted) => {
    const searched = 'a'.repeat(1_000_000);
    const began = process.cpuUsage().user;
    createTextSearch(wanted)(searched, 0);
    lastIndexOfText(searched, wanted);
    splitText(searched, wanted);
    expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(1_000);
  });
});
