import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../../test/harness/exchange.ts';
import { createLoginBackoff } from '../../../auth/login-backoff.ts';
import type { OidcConnector } from '../../../auth/oidc/connector.ts';
import type { Handler } from '../../../http/exchange.ts';
import type { Reply } from '../../../http/reply.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { silentLog } from '../../../lib/log.ts';
import { openSealer, sealKeyBytes } from '../../../seal/open-sealer.ts';
import { connectorSettings } from './oidc.fixture.ts';
import { oidcHandler } from './oidc-handlers.ts';
import { PendingCookies } from './pending-cookie.ts';

const clock = new ManualClock();
const sealer = openSealer(randomBytes(sealKeyBytes));

const state = (letter: string) => letter.repeat(43);

/** A connector whose provider answers if `answers` is true. */
function connector(name: string, answers: () => boolean): OidcConnector {
  const pending = { connector: name, state: state('s'), nonce: 'n', codeVerifier: 'v' };
  const answer = { url: new URL(`https://${name}.example.com/`), pending };
  return {
    settings: { ...connectorSettings, name },
    start: () => (answers() ? Promise.resolve(answer) : new Promise(() => {})),
    finish: () => Promise.reject(new Error('not part of this test')),
    refresh: () => Promise.reject(new Error('not part of this test')),
    signOutUrl: async () => undefined,
  };
}

let isSlowProviderUp: boolean;
let handler: Handler;
const openHandler = (externalUrl?: string) =>
  oidcHandler({
    connectors: new Map([
      ['slow', connector('slow', () => isSlowProviderUp)],
      ['quick', connector('quick', () => true)],
    ]),
    sessions: { externalUrl, identityOf: () => undefined },
    cookies: new PendingCookies(sealer, clock),
    backoff: createLoginBackoff(clock),
    identityLogins: { open: () => Promise.reject(new Error('not part of this test')) },
    logins: { end: async () => false },
    authenticate: () => undefined,
    audited: (exchange, next) => next(exchange),
    clock,
    log: silentLog,
  });
beforeEach(() => {
  isSlowProviderUp = false;
  handler = openHandler();
});

function get(path: string, remoteAddress = '192.0.2.1', headers: Record<string, string> = {}): Promise<Reply> {
  const exchange = exchangeFor({ url: `/auth/oidc/${path}`, remoteAddress, headers: { host: 'f.test', ...headers } });
  exchange.segments = ['auth', 'oidc', ...(path.split('?')[0] ?? '').split('/')];
  return handler(exchange);
}

const locationOf = ({ headers }: Reply) => String(headers.location);

describe('sign-ins at a provider that does not answer', () => {
  it('hold no slot of another connector', async () => {
    for (let count = 0; count < 150; count++) get('slow/login', `198.51.100.${count}`).catch(() => {});
    expect(locationOf(await get('quick/login'))).toBe('https://quick.example.com/');
  });

  it('are limited, and one source cannot take the places of others in the queue', async () => {
    const replies: string[] = [];
    const follow = (reply: Promise<Reply>) => reply.then((each) => replies.push(locationOf(each)));
    for (let count = 0; count < 121; count++) void follow(get('slow/login', '198.51.100.1'));
    await Promise.resolve();
    await expect.poll(() => replies.length).toBe(1);
    expect(replies[0]).toBe('/sign-in?problem=Busy&connector=slow');
    void follow(get('slow/login', '203.0.113.1'));
    // A waiting request of the source with the most waiting requests is refused to make room for the new request.
    await expect.poll(() => replies.length).toBe(2);
    clock.advance(5_000);
    await expect.poll(() => replies.length).toBe(102);
  });
});

describe('the cookie of a pending sign-in', () => {
  const cookies = new PendingCookies(sealer, clock);
  const signIn = (letter: string) => ({
    ...{ connector: 'quick', state: state(letter), nonce: 'n', codeVerifier: 'v' },
    ...{ redirectUri: 'https://f.test/auth/oidc/quick/callback', returnTo: '/', previousLogin: '' },
  });
  const cookieOf = (letter: string) => (cookies.store({ headers: {} }, signIn(letter))[0] ?? '').split(';')[0] ?? '';

  it('is found by its state until it expires', () => {
    const headers = { cookie: `a=b; ${cookieOf('x')}; ${cookieOf('y')}` };
    expect(cookies.find({ headers }, state('x'))).toEqual(signIn('x'));
    expect(cookies.find({ headers }, state('y'))).toEqual(signIn('y'));
    expect(cookies.find({ headers }, state('z'))).toBeUndefined();
    clock.advance(600_000);
    expect(cookies.find({ headers }, state('x'))).toBeUndefined();
  });

  it('does not count if it occurs twice, was made for another state, or was sealed for another purpose', () => {
    const cookie = cookieOf('x');
    expect(cookies.find({ headers: { cookie: `${cookie}; ${cookie}` } }, state('x'))).toBeUndefined();
    const renamed = cookieOf('y').replace(/y{16}/, 'x'.repeat(16));
    expect(cookies.find({ headers: { cookie: renamed } }, state('x'))).toBeUndefined();
    const other = `${cookie.split('=')[0]}=${sealer.seal('other', JSON.stringify(signIn('x')))}`;
    expect(cookies.find({ headers: { cookie: other } }, state('x'))).toBeUndefined();
  });

  it('completes no sign-in at another connector', async () => {
    const reply = await get(`slow/callback?code=c&state=${state('x')}`, '192.0.2.1', { cookie: cookieOf('x') });
    expect(locationOf(reply)).toBe('/sign-in?problem=Expired&connector=slow');
  });
});

describe('a server with an external URL', () => {
  it('moves sign-ins there first, and once only', async () => {
    handler = openHandler('https://flotilla.example.com');
    const moved = locationOf(await get('quick/login?returnTo=/projects'));
    expect(moved).toBe('https://flotilla.example.com/auth/oidc/quick/login?returnTo=%2Fprojects&moved=1');
    expect(locationOf(await get('quick/login?returnTo=/projects&moved=1'))).toBe('https://quick.example.com/');
    const there = await get('quick/login', '192.0.2.1', { host: 'flotilla.example.com' });
    expect(locationOf(there)).toBe('https://quick.example.com/');
  });

  it('refuses a Host header from which no URL can be made', async () => {
    await expect(get('quick/login', '192.0.2.1', { host: 'a b' })).rejects.toMatchObject({ code: 400 });
  });
});
