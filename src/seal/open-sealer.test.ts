import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSealer, SealError } from './open-sealer.ts';

const sealer = openSealer(new Uint8Array(32).fill(7));

describe('openSealer', () => {
  it('any sealed text opens again', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (purpose, clear) => {
        expect(sealer.open(purpose, sealer.seal(purpose, clear))).toBe(clear);
      }),
    );
  });

  it('the same text is sealed differently each time', () => {
    expect(sealer.seal('p', 'x')).not.toBe(sealer.seal('p', 'x'));
  });

  it('a sealed text is the version followed by base64url', () => {
    expect(sealer.seal('p', 'x')).toMatch(/^s1\.[A-Za-z0-9_-]+$/);
  });

  it('a sealed text does not open for another purpose', () => {
    expect(() => sealer.open('b', sealer.seal('a', 'secret'))).toThrow(SealError);
  });

  it('a sealed text does not open with another key', () => {
    const other = openSealer(new Uint8Array(32).fill(8));
    expect(() => other.open('a', sealer.seal('a', 'secret'))).toThrow(SealError);
  });

  it('a text with any one character changed is rejected', () => {
    const sealed = sealer.seal('a', 'secret');
    for (let index = 0; index < sealed.length; index++) {
      const replacement = sealed[index] === 'A' ? 'B' : 'A';
      const touched = sealed.slice(0, index) + replacement + sealed.slice(index + 1);
      expect(() => sealer.open('a', touched), `character ${index}`).toThrow(SealError);
    }
  });

  it('truncated, padded and empty texts and those of a later version are rejected', () => {
    const sealed = sealer.seal('a', 'secret');
    for (const text of [
      '',
      's1.',
      sealed.slice(0, -1),
      `${sealed}=`,
      `${sealed}\n`,
      ` ${sealed}`,
      `s2${sealed.slice(2)}`,
    ]) {
      expect(() => sealer.open('a', text), JSON.stringify(text)).toThrow(SealError);
    }
  });

  it('errors never contain the clear text', () => {
    try {
      sealer.open('b', sealer.seal('a', 'very-secret'));
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('very-secret');
    }
  });

  it('a hash depends on the key and the purpose', () => {
    const other = openSealer(randomBytes(32));
    expect(sealer.hash('p', 'x')).toBe(openSealer(new Uint8Array(32).fill(7)).hash('p', 'x'));
    expect(sealer.hash('p', 'x')).not.toBe(other.hash('p', 'x'));
    expect(sealer.hash('p', 'x')).not.toBe(sealer.hash('q', 'x'));
    expect(sealer.hash('ab', 'c')).not.toBe(sealer.hash('a', 'bc'));
    expect(sealer.hash('p', 'x')).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('a key must have exactly 32 bytes', () => {
    expect(() => openSealer(new Uint8Array(31))).toThrow(SealError);
    expect(() => openSealer(new Uint8Array(33))).toThrow(SealError);
  });
});
