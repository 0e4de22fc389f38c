import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleRows } from './visible-rows.ts';

const rowHeight = 44;

describe('the rendered rows of a table', () => {
  it('start at the top with some overscan if the table is not scrolled', () => {
    expect(visibleRows({ top: 0, height: 440 }, 10_000, rowHeight)).toEqual({ first: 0, last: 18 });
    expect(visibleRows({ top: 0, height: 440 }, 5, rowHeight)).toEqual({ first: 0, last: 5 });
  });

  it('include every visible row at any scroll position, and few others', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 2_000 }),
        (count, part, height) => {
          const top = part * Math.max(0, count * rowHeight - height);
          const { first, last } = visibleRows({ top, height }, count, rowHeight);
          expect(first).toBeLessThanOrEqual(Math.min(count, Math.floor(top / rowHeight)));
          expect(last).toBeGreaterThanOrEqual(Math.min(count, Math.ceil((top + height) / rowHeight)));
          expect(last - first).toBeLessThanOrEqual(Math.ceil(height / rowHeight) + 22);
          expect(last).toBeLessThanOrEqual(count);
        },
      ),
    );
  });

  it('are empty past the end of a table that became shorter', () => {
    expect(visibleRows({ top: 90_000, height: 440 }, 3, rowHeight)).toEqual({ first: 3, last: 3 });
  });
});
