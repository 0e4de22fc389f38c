import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentChanges } from './recent-changes.ts';

describe('RecentChanges', () => {
  it('gives all changes after a revision wherever it says that it reaches, and stays bounded', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 40 }),
        fc.integer({ min: 0, max: 130 }),
        (capacity, gaps, since) => {
          const recent = new RecentChanges<{ revision: number }>(capacity, 1);
          const all: { revision: number }[] = [];
          let revision = 1;
          for (const gap of gaps) {
            revision += gap;
            all.push({ revision });
            recent.push({ revision });
          }
          const after = all.filter((change) => change.revision > since);
          if (recent.reaches(since)) {
            expect(recent.since(since)).toEqual(after);
            expect(after.length).toBeLessThan(capacity * 2);
          } else if (since >= 1) {
            expect(after.length).toBeGreaterThan(capacity);
          }
        },
      ),
    );
  });
});
