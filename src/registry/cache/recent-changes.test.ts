import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentChanges } from './recent-changes.ts';

interface Change {
  readonly revision: number;
  readonly size: number;
}

const total = (changes: readonly Change[]) => changes.reduce((sum, { size }) => sum + size, 0);

describe('RecentChanges', () => {
  it('since returns all changes after every revision that it reaches, and the size stays bounded', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 0, max: 60 }) }), {
          maxLength: 40,
        }),
        fc.integer({ min: 0, max: 130 }),
        (changes, size, pushes, since) => {
          const recent = new RecentChanges<Change>({ changes, size }, 1);
          const all: Change[] = [];
          let revision = 1;
          for (const push of pushes) {
            revision += push.gap;
            all.push({ revision, size: push.size });
            recent.push({ revision, size: push.size });
          }
          const after = all.filter((change) => change.revision > since);
          if (recent.reaches(since)) {
            expect(recent.since(since)).toEqual(after);
            expect(after.length).toBeLessThan(changes * 2);
            expect(total(after)).toBeLessThanOrEqual(size * 2);
          } else if (since >= 1) {
            expect(after.length > changes || total(after) > size).toBe(true);
          }
        },
      ),
    );
  });

  it('takes older changes only up to its floor and only if they fit', () => {
    const recent = new RecentChanges<Change>({ changes: 4, size: 100 }, 10);
    recent.push({ revision: 12, size: 10 });
    const older = [
      { revision: 6, size: 10 },
      { revision: 8, size: 10 },
    ];
    expect(recent.addOlder(older, 5, 9)).toBe(false);
    expect(recent.addOlder([...older, ...older], 5, 10)).toBe(false);
    expect(recent.addOlder([{ revision: 8, size: 100 }], 5, 10)).toBe(false);
    expect([recent.reaches(5), recent.floor]).toEqual([false, 10]);
    expect(recent.addOlder(older, 5, 10)).toBe(true);
    expect([recent.reaches(5), recent.reaches(4), recent.floor, recent.size]).toEqual([true, false, 5, 30]);
    expect(recent.since(5).map(({ revision }) => revision)).toEqual([6, 8, 12]);
    expect(recent.since(7).map(({ revision }) => revision)).toEqual([8, 12]);
  });
});
