import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IncomingRequest } from '../exchange.ts';
import { missingOriginProof } from './same-origin.ts';

interface Sent {
  readonly method?: string;
  readonly upgrade?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

const proof = { host: 'here.test:8443', 'x-flotilla-console': '1', 'sec-fetch-site': 'same-origin' };
const own = 'https://here.test:8443';

function missing({ method = 'POST', upgrade, headers = {} }: Sent, externalUrl?: string): string[] {
  const request = { method, headers: { ...proof, ...headers }, ...(upgrade === undefined ? {} : { upgrade }) };
  return missingOriginProof(request as unknown as IncomingRequest, externalUrl);
}

describe('the proof of the origin', () => {
  it('is the console header, and for writes also the origin', () => {
    expect(missing({ headers: { origin: own } })).toEqual([]);
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(missing({ method })).toEqual([]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'get', 'QUERY', '']) {
      expect(missing({ method }), method).toEqual(['the header "Origin" is missing']);
    }
  });

  it('is missing without the console header, or with another value', () => {
    for (const value of [undefined, '', '0', '1, 1', 'true', ' 1']) {
      expect(missing({ method: 'GET', headers: { 'x-flotilla-console': value } })).toEqual([
        'the header "X-Flotilla-Console: 1" is missing',
      ]);
    }
  });

  it('is missing if Sec-Fetch-Site is not same-origin', () => {
    for (const value of ['cross-site', 'same-site', 'none', '', 'same-origin, same-origin']) {
      expect(missing({ method: 'GET', headers: { 'sec-fetch-site': value } })).toEqual([
        'the header "Sec-Fetch-Site" is not "same-origin"',
      ]);
    }
    // Browsers before 2023 do not send `Sec-Fetch-Site`.
    expect(missing({ method: 'GET', headers: { 'sec-fetch-site': undefined } })).toEqual([]);
  });

  it('is missing for protocol upgrades', () => {
    expect(missing({ method: 'GET', upgrade: 'websocket' })).toEqual(['it requests a protocol upgrade']);
    expect(missing({ method: 'GET', upgrade: '' })).toEqual(['it requests a protocol upgrade']);
  });

  it('requires a sent origin to be that of this server, whatever the method', () => {
    const others = [
      'https://evil.test',
      'http://here.test:8443',
      'https://here.test',
      'https://here.test:8444',
      'https://here.test:8443/',
      'https://a.here.test:8443',
      'https://here.test:8443.evil.test',
      'HTTPS://here.test:8443',
      'null',
      '',
      `${own}, ${own}`,
      `${own} https://evil.test`,
    ];
    for (const method of ['GET', 'POST']) {
      for (const origin of others) {
        expect(missing({ method, headers: { origin } }), origin).toEqual([
          'the header "Origin" is not the origin of this server',
        ]);
      }
    }
  });

  it('compares the origin with the Host header, as browsers write it', () => {
    for (const [host, origin] of [
      ['HERE.test:443', 'https://here.test'],
      ['here.test', 'https://here.test'],
      ['127.0.0.1:8443', 'https://127.0.0.1:8443'],
      ['[::1]:8443', 'https://[::1]:8443'],
      ['[0:0:0:0:0:0:0:1]', 'https://[::1]'],
    ] as const) {
      expect(missing({ headers: { host, origin } }), host).toEqual([]);
    }
  });

  it('also accepts the origin of the external URL if one is set', () => {
    const headers = { host: 'pod-7:8443', origin: 'https://fleet.example' };
    expect(missing({ headers }, 'https://fleet.example')).toEqual([]);
    expect(missing({ headers })).toHaveLength(1);
    expect(missing({ headers }, 'https://other.example')).toHaveLength(1);
  });

  it('accepts no origin that an invalid Host header would form', () => {
    for (const host of [undefined, '', 'evil.test@here.test', 'here.test/', 'here.test#', 'a b', 'here.test:99999']) {
      expect(missing({ headers: { host, origin: own } }), host).toHaveLength(1);
    }
    fc.assert(
      fc.property(fc.string(), fc.webUrl(), (host, url) => {
        const { origin } = new URL(url);
        const isOwn = missing({ headers: { host, origin } }).length === 0;
        if (isOwn) expect(`https://${host.toLowerCase()}`.replace(/:443$/, '')).toBe(origin);
      }),
    );
  });

  it('reports everything that is missing at once', () => {
    const headers = { 'x-flotilla-console': undefined, 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' };
    expect(missing({ upgrade: 'websocket', headers })).toHaveLength(4);
  });
});
