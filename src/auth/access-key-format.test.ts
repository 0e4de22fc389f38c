import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateAccessKey, isStrongAccessKey, isWellFormedAccessKey } from './access-key-format.ts';

describe('access key format', () => {
  it('generated keys have the documented format and differ each time (completions §5)', () => {
    const keys = new Set(Array.from({ length: 50 }, () => generateAccessKey()));
    expect(keys.size).toBe(50);
    for (const key of keys) {
      expect(key).toMatch(/^flk_[0-9A-Za-z]{46}$/);
      expect(isStrongAccessKey(key)).toBe(true);
    }
  });

  it('a generated key with any one character mistyped is rejected', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 45 }),
        fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'),
        (at, character) => {
          const key = generateAccessKey();
          const position = 4 + at;
          fc.pre(key[position] !== character);
          expect(isWellFormedAccessKey(key.slice(0, position) + character + key.slice(position + 1))).toBe(false);
        },
      ),
    );
  });

  it('generation uses every byte below 248 and no other, so that all characters are equally likely', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    let call = 0;
    const key = generateAccessKey(() => (call++ === 0 ? bytes.subarray(248) : bytes.subarray(61, 101)));
    expect(key.slice(4, 8)).toBe('z012');
  });

  it('client-supplied keys of 32 to 512 allowed characters are accepted', () => {
    const base = 'abcdefghijklmnop._~+/=-0123456789';
    expect(isStrongAccessKey(base.slice(0, 31))).toBe(false);
    expect(isStrongAccessKey(base.slice(0, 32))).toBe(true);
    expect(isStrongAccessKey(base.repeat(20).slice(0, 512))).toBe(true);
    expect(isStrongAccessKey(base.repeat(20).slice(0, 513))).toBe(false);
    expect(isStrongAccessKey(`${base} `)).toBe(false);
    expect(isStrongAccessKey(`${base}\n`)).toBe(false);
    expect(isStrongAccessKey('aaaabbbbaaaabbbbaaaabbbbaaaabbbbaaaa')).toBe(false);
  });

  it('a client-supplied key that imitates a generated one is rejected', () => {
    expect(isWellFormedAccessKey(`flk_${'abcdefghij'.repeat(4)}000000`)).toBe(false);
    expect(isWellFormedAccessKey(`flk_${'abcdefghij'.repeat(5)}000000`)).toBe(false);
  });
});
