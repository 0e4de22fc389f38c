import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IncomingRequest } from '../exchange.ts';
import { endedSessionCookie, sessionCookie, sessionCookieName, sessionCookieOf } from './session-cookie.ts';

const key = `flk_${'a1B2'.repeat(11)}xy`;
const ours = `${sessionCookieName}=${key}`;
const read = (cookie?: string) => sessionCookieOf({ headers: { cookie } } as unknown as IncomingRequest);

describe('the session cookie', () => {
  it('is found among others, at any position', () => {
    for (const cookie of [ours, `a=b; ${ours}`, `${ours}; a=b`, `a=b;${ours};c`, `; ;${ours}`, `a="x y"; ${ours}`]) {
      expect(read(cookie), cookie).toBe(key);
    }
  });

  it('is ignored if it is sent twice or is not an access key of this server', () => {
    for (const cookie of [
      undefined,
      '',
      'a=b',
      `${ours}; ${ours}`,
      `${ours}; a=b; ${sessionCookieName}=`,
      `${sessionCookieName}=`,
      `${sessionCookieName}`,
      `${sessionCookieName}="${key}"`,
      `${sessionCookieName}=eyJhbGciOiJFUzI1NiJ9.e30.AAAA`,
      `${sessionCookieName}=flk_${'a'.repeat(600)}`,
      `${sessionCookieName}=flk_ä`,
      `${sessionCookieName} =${key}`,
      `x${ours}`,
      ours.toLowerCase().replace('flk_', 'flk_'),
      `flotilla-session=${key}`,
      `a=b, ${ours}`,
    ]) {
      expect(read(cookie), cookie).toBeUndefined();
    }
  });

  it('has the exact name, because browsers accept other spellings from a subdomain', () => {
    for (const blank of ['\u00a0', '\u0085', '\v', '\f', '\ufeff', '\u2000', ' \u00a0']) {
      expect(read(`a=b; ${blank}${ours}`), JSON.stringify(blank)).toBeUndefined();
      expect(read(`${blank}${ours}`), JSON.stringify(blank)).toBeUndefined();
      // A cookie with another spelling of the name does not count as a second session cookie either.
      expect(read(`${ours}; ${blank}${ours.replace('a1B2', 'evil')}`), JSON.stringify(blank)).toBe(key);
    }
    expect(read(`a=b;\t ${ours}`)).toBe(key);
  });

  it('never throws, also for headers that no browser sends', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom(ours, sessionCookieName, ';', '=', ' ', '"', `${ours}x`));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const value = read(pieces.join(''));
        expect(value === undefined || /^flk_[0-9A-Za-z]+$/.test(value)).toBe(true);
      }),
    );
  });

  it('is found in linear time in a long header', () => {
    const long = `${`${sessionCookieName}x=y; `.repeat(2000)}${ours}`;
    expect(read(long)).toBe(key);
    expect(read(`${sessionCookieName};`.repeat(2000))).toBeUndefined();
  });

  it('has the attributes for this host, TLS, every path, no script, no other site, and its expiry', () => {
    expect(sessionCookie(key, 61.9)).toBe(`${ours}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=61`);
    expect(sessionCookie(key, -5)).toContain('; Max-Age=0');
    expect(endedSessionCookie).toBe(`${sessionCookieName}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`);
  });
});
