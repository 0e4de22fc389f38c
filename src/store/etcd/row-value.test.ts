import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maxLoggedWrites } from './revision-map.ts';
import { decodeHead, decodeRow, encodeHead, encodeRow } from './row-value.ts';

const index = fc.integer({ min: 1, max: maxLoggedWrites });

it('a row keeps its text and its number, which takes one byte', () => {
  fc.assert(
    fc.property(index, fc.string({ unit: 'grapheme' }), (number, value) => {
      const stored = encodeRow(number, value);
      expect(decodeRow(stored)).toEqual({ index: number, value });
      expect(Buffer.byteLength(stored)).toBe(1 + Buffer.byteLength(value));
    }),
  );
});

it('a head keeps its members', () => {
  fc.assert(
    fc.property(index, fc.array(index), (last, removals) => {
      const head = { last, transaction: 'Ab_-9', removals };
      expect(decodeHead(encodeHead(head))).toEqual(head);
    }),
  );
});
