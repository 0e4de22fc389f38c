import { describe, expect, it } from 'vitest';
import { base32, generateTotpSecret, matchingTotpStep, totpCode, totpStepAt, totpUri } from './totp.ts';

/** The secret of the test vectors in RFC 6238 (appendix B, SHA-1). */
const secret = base32(Buffer.from('12345678901234567890'));

describe('a TOTP code', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %d is %s, as in RFC 6238', (second, code) => {
    expect(totpCode(secret, totpStepAt(second * 1000))).toBe(code);
    expect(matchingTotpStep(secret, code, second * 1000)).toBe(Math.floor(second / 30));
  });

  it.each([
    [0, '755224'],
    [1, '287082'],
    [9, '520489'],
  ])('of step %d is %s, as in RFC 4226', (step, code) => {
    expect(totpCode(secret, step)).toBe(code);
  });

  it('is accepted one step before and after its own, and not beyond', () => {
    const now = 1_700_000_000_000;
    const step = totpStepAt(now);
    const found = [-2, -1, 0, 1, 2].map((steps) => matchingTotpStep(secret, totpCode(secret, step + steps), now));
    expect(found).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  it('may contain spaces, and nothing else than its digits', () => {
    const code = totpCode(secret, 1);
    expect(matchingTotpStep(secret, `${code.slice(0, 3)} ${code.slice(3)}`, 30_000)).toBe(1);
    for (const wrong of ['', code.slice(1), `${code}0`, 'abcdef', 'ⅠⅡ']) {
      expect(matchingTotpStep(secret, wrong, 30_000)).toBeUndefined();
    }
  });
});

describe('a TOTP secret', () => {
  it('is base32 as in RFC 4648, without padding', () => {
    const texts = ['f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)));
    expect(texts).toEqual(['MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']);
    expect(generateTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
    expect(generateTotpSecret()).not.toBe(generateTotpSecret());
  });

  it('has a URI for authenticator apps', () => {
    const uri = new URL(totpUri(secret, { issuer: 'Flotilla prod', account: 'anna@x' }));
    expect(uri.href).toMatch(/^otpauth:\/\/totp\/Flotilla%20prod:anna%40x\?secret=[A-Z2-7]+&issuer=Flotilla%20prod&/);
    expect(uri.searchParams.get('secret')).toBe(secret);
  });
});
