import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSealer, SealError } from './open-sealer.ts';

const sealer = openSealer(new Uint8Array(32).fill(7));

describe('openSealer', () => {
  it('opens what it sealed, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (purpose, clear) => {
        expect(sealer.open(purpose, sealer.seal(purpose, clear))).toBe(clear);
      }),
    );
  });

  it('seals the same text differently each time', () => {
    expect(sealer.seal('p', 'x')).not.toBe(sealer.seal('p', 'x'));
  });

  it('writes the version first and base64url after it', () => {
    expect(sealer.seal('p', 'x')).toMatch(/^s1\.[A-Za-z0-9_-]+$/);
  });

  it('does not open for another purpose', () => {
    expect(() => sealer.open('b', sealer.seal('a', 'secret'))).toThrow(SealError);
  });

  it('does not open with another key', () => {
    const other = openSealer(new Uint8Array(32).fill(8));
    expect(() => other.open('a', sealer.seal('a', 'secret'))).toThrow(SealError);
  });

  it('refuses a text in which any one character was changed', () => {
    const sealed = sealer.seal('a', 'secret');
    for (let index = 0; index < sealed.length; index++) {
      const replacement = sealed[index] === 'A' ? 'B' : 'A';
      const touched = sealed.slice(0, index) + replacement + sealed.slice(index + 1);
      expect(() => sealer.open('a', touched), `character ${index}`).toThrow(SealError);
    }
  });

  it('refuses texts that are cut, padded, empty or of a later version', () => {
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

  it('never names the clear text in an error', () => {
    try {
      sealer.open('b', sealer.seal('a', 'very-secret'));
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('very-secret');
    }
  });

  it('hashes the same under the same key and purpose, and otherwise differently', () => {
    const other = openSealer(randomBytes(32));
    expect(sealer.hash('p', 'x')).toBe(openSealer(new Uint8Array(32).fill(7)).hash('p', 'x'));
    expect(sealer.hash('p', 'x')).not.toBe(other.hash('p', 'x'));
    expect(sealer.hash('p', 'x')).not.toBe(sealer.hash('q', 'x'));
    expect(sealer.hash('ab', 'c')).not.toBe(sealer.hash('a', 'bc'));
    expect(sealer.hash('p', 'x')).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('takes keys of exactly 32 bytes', () => {
    expect(() => openSealer(new Uint8Array(31))).toThrow(SealError);
    expect(() => openSealer(new Uint8Array(33))).toThrow(SealError);
  });
});
