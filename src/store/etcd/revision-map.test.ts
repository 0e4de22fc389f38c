import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseAbove, maxLoggedWrites, RevisionMap } from './revision-map.ts';

const base = fc.integer({ min: 0, max: 10 ** 12 });
const etcdRevision = fc.integer({ min: 1, max: 6 * 10 ** 13 });
const index = fc.integer({ min: 0, max: maxLoggedWrites });

describe('RevisionMap', () => {
  it('returns the etcd revision and the index of each revision, which are safe integers', () => {
    fc.assert(
      fc.property(base, etcdRevision, index, (offset, transaction, write) => {
        const map = new RevisionMap(offset);
        const revision = map.revision(transaction, write);
        expect(Number.isSafeInteger(revision)).toBe(true);
        expect([map.etcdRevision(revision), map.index(revision)]).toEqual([transaction, write]);
      }),
    );
  });

  it('orders revisions by etcd revision, then by index', () => {
    const map = new RevisionMap(7);
    expect(map.revision(5, 1)).toBeLessThan(map.revision(5, 2));
    expect(map.last(5)).toBeLessThan(map.revision(6, 0));
  });

  it('returns no valid etcd revision for the revision of a slice without writes', () => {
    expect(new RevisionMap(0).etcdRevision(1)).toBeLessThan(1);
    expect(new RevisionMap(1000).etcdRevision(1)).toBeLessThan(1);
  });

  it('has only greater revisions than those of an imported store', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 13 }), etcdRevision, (above, current) => {
        const map = new RevisionMap(baseAbove(above, current));
        expect(map.revision(current + 1, 1)).toBeGreaterThan(above);
      }),
    );
  });
});
