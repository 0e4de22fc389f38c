import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSealer, SealError } from '../open-sealer.ts';
import { type DataKey, type DataKeys, dataKeyIdOf, RowCipher, UnknownDataKeyError } from './row-cipher.ts';

const [first, second] = ['firstkey', 'secondky'].map((id, index) => ({
  id,
  key: new Uint8Array(32).fill(index + 1),
})) as [DataKey, DataKey];

function keysOf(current: DataKey | undefined, ...known: DataKey[]): DataKeys {
  return { current, rows: 'all', find: (id) => known.find((key) => key.id === id) };
}

/** Returns a cipher of another process, which has no values in memory. */
const reader = (...known: DataKey[]) => new RowCipher(keysOf(undefined, ...known));
const row = { slice: 'management', segments: ['users', 'ann'] };

describe('RowCipher', () => {
  const cipher = new RowCipher(keysOf(first, first));

  it('any value can be read back, by the same process and by others', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (clear) => {
        const stored = cipher.seal(row, clear);
        expect(cipher.open(row, stored)).toBe(clear);
        expect(reader(first).open(row, stored)).toBe(clear);
        if (clear.length > 3) expect(stored).not.toContain(clear);
      }),
    );
  });

  it('the same value is stored differently each time, and by each process', () => {
    const stored = [cipher, cipher, new RowCipher(keysOf(first, first))].map((each) => each.seal(row, 'x'));
    expect(new Set(stored).size).toBe(3);
  });

  it('a value cannot be read at another row', () => {
    const stored = cipher.seal(row, 'x');
    const moved = [
      { slice: 'management', segments: ['users', 'bob'] },
      { slice: 'management', segments: ['users'] },
      { slice: 'management', segments: ['users', 'ann', ''] },
      { slice: 'other', segments: ['users', 'ann'] },
    ];
    for (const key of moved) {
      expect(() => cipher.open(key, stored)).toThrow(SealError);
      expect(() => reader(first).open(key, stored)).toThrow(SealError);
    }
  });

  it('a value with any one character changed is rejected by the writer and by others', () => {
    const stored = cipher.seal(row, 'clear text');
    for (let at = 1; at < stored.length; at++) {
      // The last character of base64 has unused bits. "A" and "w" also differ in the used bits.
      const changed = stored.slice(0, at) + (stored[at] === 'A' ? 'w' : 'A') + stored.slice(at + 1);
      for (const each of [cipher, reader(first)]) {
        expect(() => each.open(row, changed), `character ${at}`).toThrow(SealError);
      }
    }
    for (const length of [1, 8, 29, 40, stored.length - 4]) {
      expect(() => reader(first).open(row, stored.slice(0, length))).toThrow(SealError);
    }
  });

  it('a value names its data key, and the error of a missing key names it too', () => {
    const stored = cipher.seal(row, 'x');
    expect(dataKeyIdOf(stored)).toBe('firstkey');
    expect(reader(second).knows(stored)).toBe(false);
    expect(() => reader(second).open(row, stored)).toThrow(new UnknownDataKeyError('firstkey'));
    expect(reader(first).knows(stored)).toBe(true);
  });

  it('values in clear are read unchanged, and written if there is no current key', () => {
    expect(cipher.open(row, '{"kind":"User"}')).toBe('{"kind":"User"}');
    expect(reader(first).seal(row, '{}')).toBe('{}');
    expect(() => reader(first).seal(row, '\u007f')).toThrow(SealError);
    expect(cipher.open(row, cipher.seal(row, '\u007f'))).toBe('\u007f');
  });

  it('a value is stale if it has another form than new values', () => {
    const stored = cipher.seal(row, 'x');
    expect(cipher.isStale(stored)).toBe(false);
    expect(cipher.isStale('x')).toBe(true);
    expect(reader(first).isStale(stored)).toBe(true);
    expect(reader(first).isStale('x')).toBe(false);
    expect(new RowCipher(keysOf(second, first, second)).isStale(stored)).toBe(true);
  });

  it('values are read after many larger ones were written', () => {
    const stored = cipher.seal(row, 'early');
    for (let index = 0; index < 100; index++) cipher.seal(row, 'y'.repeat(60_000));
    expect(cipher.open(row, stored)).toBe('early');
  });

  it('with rows: secrets, encrypts only values that contain a sealed text, and values that look encrypted', () => {
    const sealer = openSealer(new Uint8Array(32).fill(7));
    const sealed = sealer.seal('a purpose', 'secret');
    const secrets = new RowCipher({ ...keysOf(second, first, second), rows: 'secrets' });
    for (const clear of [sealed, JSON.stringify({ hidden: { password: sealed } }), '\u007fmarked']) {
      const stored = secrets.seal(row, clear);
      expect(dataKeyIdOf(stored)).toBe(second.id);
      expect(reader(second).open(row, stored)).toBe(clear);
      expect(secrets.isStale(stored)).toBe(false);
    }
    expect(secrets.isStale(sealed)).toBe(true);
    expect(secrets.isStale(cipher.seal(row, 'x'))).toBe(true);
    expect(secrets.seal(row, '{"version":"v1.2"}')).toBe('{"version":"v1.2"}');
    expect(secrets.isStale('{"version":"v1.2"}')).toBe(false);
  });

  it('values of all sizes can be read back, also those that are larger than the scratch memory', () => {
    const sizes = [0, 1, 5_000, 21_000, 22_000, 65_000, 66_000, 200_000];
    for (const clear of sizes.flatMap((size) => ['x'.repeat(size), '€'.repeat(size)])) {
      expect(reader(first).open(row, cipher.seal(row, clear)) === clear, `${clear.length}`).toBe(true);
    }
  });
});
