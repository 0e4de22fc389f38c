import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type DecodedEntry, DecodedObjects } from './decoded-objects.ts';

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

function setUp() {
  const decoded = new DecodedObjects(100);
  const kept = new Set<string>();
  const add = (name: string, size = 10) => {
    const one: DecodedEntry = { size, used: false, release: () => void kept.delete(name) };
    kept.add(name);
    decoded.add(one);
    return one;
  };
  return { decoded, kept, add };
}

describe('DecodedObjects', () => {
  it('the capacity is never exceeded, and the oldest entry is evicted first', () => {
    const { decoded, kept, add } = setUp();
    for (let at = 0; at < 1000; at++) {
      add(String(at));
      expect(decoded.size).toBeLessThanOrEqual(100);
    }
    expect([...kept]).toEqual(Array.from({ length: 10 }, (_, at) => String(990 + at)));
  });

  it('isEffective reports whether recently evicted entries had been read, and adapts quickly', () => {
    const { decoded, add } = setUp();
    expect(decoded.isEffective).toBe(true);
    for (let at = 0; at < 1000; at++) add(`unread-${at}`);
    expect(decoded.isEffective).toBe(false);
    for (let at = 0; at < 40; at++) {
      const one = add(`read-${at}`);
      one.used = true;
      decoded.drop(one);
    }
    expect(decoded.isEffective).toBe(true);
  });

  it('an entry that is read again stays', () => {
    const { kept, add } = setUp();
    const wanted = add('wanted');
    for (let at = 0; at < 500; at++) {
      wanted.used = true;
      add(String(at));
    }
    expect(kept).toContain('wanted');
    for (let at = 0; at < 20; at++) add(`later-${at}`);
    expect(kept).not.toContain('wanted');
  });

  it('a dropped entry frees its capacity at once and is released', () => {
    const { decoded, kept, add } = setUp();
    const first = add('first');
    for (let at = 0; at < 1000; at++) decoded.drop(add(String(at)));
    expect([...kept]).toEqual(['first']);
    expect(decoded.size).toBe(10);
    decoded.drop(first);
    decoded.drop(first);
    expect([decoded.size, kept.size]).toEqual([0, 0]);
    for (let at = 0; at < 20; at++) add(`later-${at}`);
    expect([...kept]).toEqual(Array.from({ length: 10 }, (_, at) => `later-${at + 10}`));
  });

  it('dropped entries are garbage collected, however many come and go within the capacity', async () => {
    const decoded = new DecodedObjects(1_000_000);
    const seen: WeakRef<object>[] = [];
    const comeAndGo = () => {
      const some = Array.from({ length: 1_000 }, () => ({ size: 1, used: false, release() {} }));
      for (const one of some) {
        seen.push(new WeakRef(one));
        decoded.add(one);
      }
      for (const one of some) decoded.drop(one);
    };
    decoded.add({ size: 1, used: false, release() {} });
    for (let round = 0; round < 5; round++) comeAndGo();
    // The target of a new WeakRef stays alive until the end of the event loop tick.
    await new Promise(setImmediate);
    collectGarbage();
    expect(seen.filter((one) => one.deref() !== undefined).length).toBeLessThan(50);
  });

  it('an entry larger than the capacity is kept, alone', () => {
    const { decoded, kept, add } = setUp();
    add('small');
    add('large', 1000);
    expect([...kept]).toEqual(['large']);
    add('other');
    expect([...kept]).toEqual(['other']);
    expect(decoded.size).toBe(10);
  });
});
