import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consoleProtocol } from '../../api/console-protocol.ts';
import type { IncomingRequest } from '../../http/exchange.ts';
import {
  forwardedRequestHeaders,
  forwardedUpgradeHeaders,
  returnedResponseHeaders,
  returnedUpgradeHeaders,
} from './forwarded-headers.ts';

const passer = { auditId: 'a1', via: 'flotilla-00000000-0000-0000-0000-000000000000' };
const request = (headers: Record<string, string>, upgrade?: string) =>
  ({ headers, ...(upgrade === undefined ? {} : { upgrade }) }) as IncomingRequest;

const secret = 'swordfish';
const ofSomebody = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'impersonate-user',
  'impersonate-group',
  'impersonate-uid',
  'impersonate-extra-scopes',
  'x-remote-user',
  'x-remote-group',
  'x-remote-extra-a',
  'x-forwarded-for',
  'x-forwarded-client-cert',
  'forwarded',
  'x-real-ip',
  'host',
  'te',
  'upgrade',
  'transfer-encoding',
];
const plain = ['accept', 'content-type', 'user-agent', 'x-app', 'if-match'];

describe('forwarded headers', () => {
  it('contain no identity and no hop-by-hop headers, whatever a client sends (completions §8)', () => {
    const name = fc.constantFrom(...ofSomebody, ...plain);
    const sent = fc.dictionary(name, fc.constant(secret));
    const named = fc.array(fc.constantFrom('Close', 'X-App', 'ACCEPT', 'keep-alive', 'Authorization'), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(sent, named, fc.boolean(), (headers, connection, isUpgrade) => {
        const all = { ...headers, connection: connection.join(isUpgrade ? ',' : ' , ') };
        const passed = isUpgrade
          ? forwardedUpgradeHeaders(request(all, 'SPDY/3.1'), passer)
          : forwardedRequestHeaders(request(all), passer);
        const gone = new Set([...ofSomebody, ...connection.map((token) => token.toLowerCase())]);
        for (const [kept, value] of Object.entries(passed)) {
          if (value === secret) expect(gone.has(kept), kept).toBe(false);
        }
        const expected = plain.filter((each) => headers[each] !== undefined && !gone.has(each));
        for (const each of expected) expect(passed[each]).toBe(secret);
        expect(passed.connection).toBe(isUpgrade ? 'Upgrade' : undefined);
      }),
    );
  });

  it('keep the offered subprotocols but not a browser’s token or login', () => {
    const bearer = 'base64url.bearer.authorization.k8s.io.c2VjcmV0';
    const offered = (protocols: string) =>
      forwardedUpgradeHeaders(request({ 'sec-websocket-protocol': protocols }, 'websocket'), passer)[
        'sec-websocket-protocol'
      ];
    expect(offered(`${bearer}, v5.channel.k8s.io,v4.channel.k8s.io`)).toBe('v5.channel.k8s.io, v4.channel.k8s.io');
    expect(offered(bearer)).toBeUndefined();
    expect(offered(`v5.channel.k8s.io, ${consoleProtocol('login-x7k2p')}`)).toBe('v5.channel.k8s.io');
  });

  it('keep repeated response headers and rewrite locations below this server', () => {
    const headers = { warning: ['299 - "a"', '299 - "b"'], location: '/api', connection: 'X-Hop', 'x-hop': 'x' };
    expect(returnedResponseHeaders(headers, '/root')).toEqual({ warning: headers.warning, location: '/root/api' });
    for (const location of ['//evil.example/', 'https://evil.example/', 'relative']) {
      expect(returnedResponseHeaders({ location }, '/root')).toEqual({ location });
    }
    expect(
      returnedUpgradeHeaders({ upgrade: 'websocket', 'set-cookie': 'a=b', 'sec-websocket-accept': 'x' }, ''),
    ).toEqual({
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-accept': 'x',
    });
  });
});
