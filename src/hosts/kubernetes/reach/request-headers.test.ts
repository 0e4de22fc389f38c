import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StatusError } from '../../../api/status.ts';
import {
  bearerHeader,
  credentialHeaders,
  forwardedHeaders,
  impersonationHeaders,
  returnedHeaders,
} from './request-headers.ts';

function pairsOf(lines: readonly string[]): [string, string][] {
  return lines.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, lines[at + 1] ?? '']] : []));
}

/** Reads headers as Kubernetes does: bytes are UTF-8, surrounding blanks are stripped, extra keys are unescaped. */
function readBack(lines: readonly string[]) {
  const value = (text: string) => Buffer.from(text, 'latin1').toString('utf8').trim();
  const of = (name: string) =>
    pairsOf(lines)
      .filter(([each]) => each === name)
      .map(([, text]) => value(text));
  const extra: Record<string, string[]> = {};
  for (const [name, text] of pairsOf(lines)) {
    if (!name.startsWith('impersonate-extra-')) continue;
    const key = decodeURIComponent(name.slice('impersonate-extra-'.length));
    const values = extra[key] ?? [];
    values.push(value(text));
    Object.defineProperty(extra, key, { value: values, enumerable: true, configurable: true, writable: true });
  }
  return { name: of('impersonate-user'), uid: of('impersonate-uid'), groups: of('impersonate-group'), extra };
}

test('an impersonated user arrives unchanged or is rejected', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(' a', 'a\r\nb', '', '\u00a0', 'ü'),
  );
  fc.assert(
    fc.property(text, fc.array(text), fc.dictionary(text, fc.array(text)), (name, groups, extra) => {
      let lines: readonly string[];
      try {
        lines = impersonationHeaders({ name, groups, extra });
      } catch (error) {
        expect(error).toBeInstanceOf(StatusError);
        return;
      }
      for (const line of lines) expect(line).toMatch(/^[\t\x20-\x7e\x80-\xff]+$/);
      const sent = Object.entries(extra).filter(([, values]) => values.length > 0);
      expect(readBack(lines)).toEqual({ name: [name], uid: [], groups, extra: Object.fromEntries(sent) });
    }),
    { numRuns: 500 },
  );
});

test('no identity header is forwarded, however it is spelled', () => {
  const names = [
    'authorization',
    'cookie',
    'impersonate-user',
    'impersonate-extra-a',
    'x-remote-user',
    'x-forwarded-for',
    ':path',
  ];
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(fc.constantFrom(...names, 'accept', 'x-own'), fc.string()), fc.string()),
      (headers) => {
        const passed = pairsOf(forwardedHeaders(headers)).map(([name]) => name);
        for (const name of passed) {
          expect(name).not.toMatch(
            /^(?::|impersonate-|x-remote-|x-forwarded-)|^(?:authorization|cookie|host|connection)$/,
          );
          expect(Object.hasOwn(headers, name)).toBe(true);
        }
      },
    ),
  );
});

test('headers that the connection header lists are dropped in both directions', () => {
  const headers = { connection: 'close, X-One ,x-two', 'x-one': '1', 'x-two': '2', 'x-three': '3' };
  expect(forwardedHeaders(headers)).toEqual(['x-three', '3']);
  expect(returnedHeaders(headers)).toEqual({ 'x-three': '3' });
});

test('a bearer token among the WebSocket subprotocols is dropped', () => {
  const token = 'base64url.bearer.authorization.k8s.io.c2VjcmV0';
  const passed = (value: string) => forwardedHeaders({ 'sec-websocket-protocol': value });
  expect(passed(`v5.channel.k8s.io,${token}, v4.channel.k8s.io`)).toEqual([
    'sec-websocket-protocol',
    'v5.channel.k8s.io, v4.channel.k8s.io',
  ]);
  expect(passed(token)).toEqual([]);
});

test('a token has no blanks and takes precedence over a user name and password', () => {
  for (const token of ['', 'a b', 'a\n', 'ä']) expect(() => bearerHeader(token)).toThrow(StatusError);
  expect(credentialHeaders({ token: 't', username: 'u' })).toEqual(['authorization', 'Bearer t']);
  expect(credentialHeaders({ username: 'ü', password: 'p' })).toEqual(['authorization', 'Basic w7w6cA==']);
  expect(credentialHeaders({})).toEqual([]);
});
