import { describe, expect, it } from 'vitest';
import { exchangeFor } from '../../test/harness/exchange.ts';
import { tokenMark } from '../auth/token-mark.ts';
import { PresentedCredentials } from './presented.ts';
import { sessionCookieName } from './session-cookie.ts';

const answered = { status: 200, headers: {} };

describe('what a request comes with', () => {
  it('is its bearer token, or the cookie of a browser, or nothing', () => {
    const credentials = new PresentedCredentials();
    const of = (headers: Record<string, string>) => credentials.of(exchangeFor({ headers }));
    expect(of({})).toBeUndefined();
    expect(of({ authorization: 'Basic x' })).toBeUndefined();
    expect(of({ authorization: 'Bearer one' })).toEqual({ token: 'one', mark: tokenMark('one'), isBearer: true });
    const cookie = `${sessionCookieName}=flk_abc`;
    expect(of({ cookie })).toEqual({ token: 'flk_abc', mark: tokenMark('flk_abc'), isBearer: false });
    expect(of({ cookie, authorization: 'Bearer two' })?.token).toBe('two');
    // Whoever shows something else besides has shown the cookie, and nothing of it is kept for others.
    expect(of({ cookie, authorization: 'Basic x' })?.token).toBe('flk_abc');
    expect(of({ authorization: 'Basic x' })).toBeUndefined();
  });

  it('is found out once for those that are under way together, and forgotten with the last of them', () => {
    const credentials = new PresentedCredentials();
    const exchanges = [1, 2, 3].map(() => exchangeFor({ headers: { authorization: 'Bearer same' } }));
    const [first, second, third] = exchanges.map((exchange) => credentials.of(exchange));
    expect(second).toBe(first);
    expect(third).toBe(first);
    const another = () => {
      const exchange = exchangeFor({ headers: { authorization: 'Bearer same' } });
      const found = credentials.of(exchange);
      exchange.settlement.settle(answered);
      return found;
    };
    for (const { settlement } of exchanges) {
      expect(another()).toBe(first);
      settlement.settle(answered);
    }
    expect(another()).not.toBe(first);
    expect(another()).toEqual(first);
  });

  it('is what a WebSocket brings elsewhere for that one alone', () => {
    const credentials = new PresentedCredentials();
    const offered = `base64url.bearer.authorization.k8s.io.${Buffer.from('own').toString('base64url')}`;
    const headers = { authorization: 'Basic x', 'sec-websocket-protocol': offered };
    expect(credentials.of(exchangeFor({ headers, webSocket: true }))?.token).toBe('own');
    expect(credentials.of(exchangeFor({ headers }))).toBeUndefined();
  });

  it('is each one’s own', () => {
    const credentials = new PresentedCredentials();
    const of = (authorization: string) => credentials.of(exchangeFor({ headers: { authorization } }))?.token;
    expect([of('Bearer a'), of('Bearer b'), of('bearer a'), of('Bearer a')]).toEqual(['a', 'b', 'a', 'a']);
  });
});
