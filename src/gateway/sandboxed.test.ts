import { describe, expect, it } from 'vitest';
import type { Reply } from '../http/exchange.ts';
import { sandboxed } from './sandboxed.ts';

function headersOf(headers: Reply['headers'], status = 200): Reply['headers'] {
  const reply: Reply = { status, headers: { ...headers } };
  sandboxed(reply);
  return reply.headers;
}

describe('what comes out of a cluster', () => {
  it('is a page without scripts and without an origin, where a browser would show it as a page', () => {
    for (const type of [
      'text/html',
      'text/html; charset=utf-8',
      'TEXT/HTML',
      'image/svg+xml',
      'application/xhtml+xml',
      'application/xml',
      'text/xml',
      'application/pdf',
      'multipart/x-mixed-replace; boundary=x',
      'application/json+html',
      'text/plainly',
      'application/json, text/html',
      'application/json;,text/html',
      'text/plain; charset=utf-8, text/html',
      'nonsense',
      '',
    ]) {
      const headers = headersOf({ 'content-type': type });
      expect(headers['content-security-policy'], type).toBe('sandbox');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    expect(headersOf({})['content-security-policy']).toBe('sandbox');
  });

  it('is held to what it says of itself, too', () => {
    const html = { 'content-type': 'text/html' };
    const one = headersOf({ ...html, 'content-security-policy': "default-src 'self'" });
    expect(one['content-security-policy']).toEqual(["default-src 'self'", 'sandbox']);
    const two = headersOf({ ...html, 'content-security-policy': ['a', 'sandbox allow-scripts'] });
    expect(two['content-security-policy']).toEqual(['a', 'sandbox allow-scripts', 'sandbox']);
  });

  it('is left as it is where nobody could take it for a page, but for its type being what it says', () => {
    for (const type of [
      'application/json',
      'application/json;stream=watch',
      'application/json; charset=utf-8',
      'text/plain; charset=utf-8',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
    ]) {
      expect(headersOf({ 'content-type': type })).toEqual({
        'content-type': type,
        'x-content-type-options': 'nosniff',
      });
    }
    expect(headersOf({ upgrade: 'websocket' }, 101)).toEqual({ upgrade: 'websocket' });
  });
});
