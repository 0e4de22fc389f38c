import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareEncodedKeys, encodeKey } from '../key.ts';
import { StoreError } from '../store-error.ts';
import { type EtcdRange, KeySpace } from './key-space.ts';

const keys = new KeySpace('flotilla/test');
const name = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'a/b', 'a\u0001', '/', ':', 'é', '𝄞', '\uffee'),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u0000')),
);
const key = fc.record({ slice: name, segments: fc.array(name, { minLength: 1, maxLength: 3 }) });

function contains({ key: from, rangeEnd }: EtcdRange, etcdKey: string): boolean {
  const bytes = Buffer.from(etcdKey);
  return Buffer.compare(Buffer.from(from), bytes) <= 0 && Buffer.compare(bytes, Buffer.from(rangeEnd)) < 0;
}

describe('KeySpace', () => {
  it('recognizes rows and heads, and keeps the order of keys', () => {
    fc.assert(
      fc.property(key, key, (one, two) => {
        const [a, b] = [encodeKey(one), encodeKey(two)];
        expect(keys.parseWatched(keys.row(a))).toEqual({ kind: 'row', text: a });
        expect(keys.parseWatched(keys.head(one.slice))).toEqual({ kind: 'head', slice: one.slice });
        expect(keys.parseWatched(keys.removedSlice(one.slice))).toEqual({ kind: 'removedSlice', slice: one.slice });
        expect([keys.textOfRow(keys.row(a)), keys.textOfUnlogged(keys.unlogged(a))]).toEqual([a, a]);
        const inEtcd = Buffer.compare(Buffer.from(keys.row(a)), Buffer.from(keys.row(b)));
        expect(inEtcd).toBe(Math.sign(compareEncodedKeys(a, b)));
      }),
    );
  });

  it('has ranges that contain exactly the keys of a slice', () => {
    fc.assert(
      fc.property(key, name, (one, slice) => {
        const text = encodeKey(one);
        expect(contains(keys.slice(slice), keys.row(text))).toBe(one.slice === slice);
        expect(contains(keys.slice(slice), keys.head(one.slice))).toBe(one.slice === slice);
        expect(contains(keys.unloggedSlice(slice), keys.unlogged(text))).toBe(one.slice === slice);
        expect(contains(keys.watched, keys.row(text))).toBe(true);
        expect(contains(keys.rows, keys.row(text))).toBe(true);
        for (const other of [keys.unlogged(text), keys.floor(slice), keys.probe, keys.installation]) {
          expect(contains(keys.watched, other)).toBe(false);
        }
      }),
    );
  });

  it('has no keys in common with a store whose prefix starts with its own', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9._/-]{0,20}$/), key, (suffix, one) => {
        const other = new KeySpace(`flotilla/test${suffix}`);
        if (suffix === '') return;
        for (const etcdKey of [other.row(encodeKey(one)), other.unlogged(encodeKey(one)), other.installation]) {
          expect(contains(keys.watched, etcdKey) || contains(keys.unloggedRows, etcdKey)).toBe(false);
        }
      }),
    );
  });

  it.each(['', 'a:b', 'a b', 'x'.repeat(201), 'ä'])('rejects the prefix %j', (prefix) => {
    expect(() => new KeySpace(prefix)).toThrow(StoreError);
  });
});
