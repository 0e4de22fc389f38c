import { describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { tokenFingerprint } from '../../auth/token-fingerprint.ts';
import { PresentedCredentials } from './presented-credential.ts';
import { sessionCookieName } from './session-cookie.ts';

const answered = { status: 200, headers: {} };

describe('the credential of a request', () => {
  it('is its bearer token, a session cookie, or absent', () => {
    const credentials = new PresentedCredentials();
    const of = (headers: Record<string, string>) => credentials.of(exchangeFor({ headers }));
    expect(of({})).toBeUndefined();
    expect(of({ authorization: 'Basic x' })).toBeUndefined();
    expect(of({ authorization: 'Bearer one' })).toEqual({
      token: 'one',
      fingerprint: tokenFingerprint('one'),
      isBearer: true,
    });
    const cookie = `${sessionCookieName}=flk_abc`;
    expect(of({ cookie })).toEqual({ token: 'flk_abc', fingerprint: tokenFingerprint('flk_abc'), isBearer: false });
    expect(of({ cookie, authorization: 'Bearer two' })?.token).toBe('two');
    // If the Authorization header has another scheme, the cookie is the credential. Requests do not share an entry for
    // it.
    expect(of({ cookie, authorization: 'Basic x' })?.token).toBe('flk_abc');
    expect(of({ authorization: 'Basic x' })).toBeUndefined();
  });

  it('is parsed once for concurrent requests, and dropped with the last of them', () => {
    const credentials = new PresentedCredentials();
    const exchanges = [1, 2, 3].map(() => exchangeFor({ headers: { authorization: 'Bearer same' } }));
    const [first, second, third] = exchanges.map((exchange) => credentials.of(exchange));
    expect(second).toBe(first);
    expect(third).toBe(first);
    const another = () => {
      const exchange = exchangeFor({ headers: { authorization: 'Bearer same' } });
      const found = credentials.of(exchange);
      exchange.completion.complete(answered);
      return found;
    };
    for (const { completion } of exchanges) {
      expect(another()).toBe(first);
      completion.complete(answered);
    }
    expect(another()).not.toBe(first);
    expect(another()).toEqual(first);
  });

  it('is not shared if a WebSocket sends it in a subprotocol', () => {
    const credentials = new PresentedCredentials();
    const offered = `base64url.bearer.authorization.k8s.io.${Buffer.from('own').toString('base64url')}`;
    const headers = { authorization: 'Basic x', 'sec-websocket-protocol': offered };
    expect(credentials.of(exchangeFor({ headers, webSocket: true }))?.token).toBe('own');
    expect(credentials.of(exchangeFor({ headers }))).toBeUndefined();
  });

  it('is not mixed up between requests', () => {
    const credentials = new PresentedCredentials();
    const of = (authorization: string) => credentials.of(exchangeFor({ headers: { authorization } }))?.token;
    expect([of('Bearer a'), of('Bearer b'), of('bearer a'), of('Bearer a')]).toEqual(['a', 'b', 'a', 'a']);
  });
});
