import { describe, expect, it } from 'vitest';
import { consoleProtocol, consoleProtocolPrefix } from '../../api/console-protocol.ts';
import type { Exchange, IncomingRequest } from '../exchange.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { isConsoleShell, missingWebSocketProof } from './web-socket-origin.ts';

const own = 'https://here.test:8443';
const login = 'login-x7k2p';
const proof = {
  host: 'here.test:8443',
  origin: own,
  'sec-fetch-site': 'same-origin',
  'sec-websocket-protocol': `v5.channel.k8s.io, ${consoleProtocol(login)}`,
};

function missingProofs(
  headers: Record<string, string | undefined>,
  externalUrl?: string,
  of: string | undefined = login,
) {
  const request = { headers: { ...proof, ...headers } } as unknown as IncomingRequest;
  return missingWebSocketProof(request, { login: of, externalUrl });
}

describe('the proof of a WebSocket', () => {
  it('is the origin of this server and the login of the session', () => {
    expect(missingProofs({})).toEqual([]);
    // Not every browser sends `Sec-Fetch-Site` with a WebSocket.
    expect(missingProofs({ 'sec-fetch-site': undefined })).toEqual([]);
    expect(missingProofs({ host: 'pod-7:8443', origin: 'https://fleet.example' }, 'https://fleet.example')).toEqual([]);
  });

  it('is missing without the origin, or with another one', () => {
    expect(missingProofs({ origin: undefined })).toEqual(['the header "Origin" is missing']);
    for (const origin of ['https://evil.test', 'https://here.test', 'https://here.test:8444', 'null', '', `${own}/`]) {
      expect(missingProofs({ origin }), origin).toEqual(['the header "Origin" is not the origin of this server']);
    }
    expect(missingProofs({ host: 'evil.test@here.test' })).toHaveLength(1);
  });

  it('is missing if another site opened it', () => {
    for (const site of ['cross-site', 'same-site', 'none', ''])
      expect(missingProofs({ 'sec-fetch-site': site })).toEqual(['the header "Sec-Fetch-Site" is not "same-origin"']);
  });

  it('is missing if the page names no login, another one, or several', () => {
    for (const offered of [
      undefined,
      '',
      'v5.channel.k8s.io',
      consoleProtocolPrefix,
      consoleProtocol(''),
      consoleProtocol('login-of-another'),
      `${consoleProtocol(login)}x`,
      `${consoleProtocol(login)}, ${consoleProtocol('login-of-another')}`,
    ]) {
      expect(missingProofs({ 'sec-websocket-protocol': offered }), offered).toEqual([
        expect.stringMatching(/does not name the login of the session/),
      ]);
    }
    expect(missingProofs({}, undefined, '')).toHaveLength(1);
  });
});

describe('a shell of the console', () => {
  const isShell = (path: string, members: Partial<IncomingRequest> = {}) => {
    const request = { method: 'GET', webSocket: true, upgrade: 'websocket', ...members };
    const info = parseRequestInfo(request.method, path, new URLSearchParams());
    return isConsoleShell({ request, info } as unknown as Exchange);
  };

  it('is only exec or attach over a WebSocket', () => {
    const pod = '/api/v1/namespaces/a/pods/x';
    expect(isShell(`${pod}/exec`)).toBe(true);
    expect(isShell(`${pod}/attach`)).toBe(true);
    expect(isShell(`${pod}/exec`, { webSocket: false })).toBe(false);
    expect(isShell(`${pod}/exec`, { method: 'POST' })).toBe(false);
    for (const path of [
      `${pod}/portforward`,
      `${pod}/log`,
      pod,
      '/api/v1/namespaces/a/pods',
      '/apis/x.example/v1/namespaces/a/pods/x/exec',
      '/api/v1/namespaces/a/services/x/exec',
      '/exec',
    ]) {
      expect(isShell(path), path).toBe(false);
    }
  });

  it('names a login with any characters', () => {
    expect(consoleProtocol('login-x7k2p')).toBe(`${consoleProtocolPrefix}bG9naW4teDdrMnA`);
    expect(consoleProtocol('ü??>')).toMatch(/^[A-Za-z0-9._-]+$/);
  });
});
