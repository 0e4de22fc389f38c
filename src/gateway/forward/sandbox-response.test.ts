import { describe, expect, it } from 'vitest';
import type { Reply } from '../../http/reply.ts';
import { sandboxResponse } from './sandbox-response.ts';

function headersOf(headers: Reply['headers'], status = 200): Reply['headers'] {
  const reply: Reply = { status, headers: { ...headers } };
  sandboxResponse(reply);
  return reply.headers;
}

describe('content from a cluster', () => {
  it('is sandboxed if a browser would render it as a page', () => {
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

  it('keeps its own content security policy as well', () => {
    const html = { 'content-type': 'text/html' };
    const one = headersOf({ ...html, 'content-security-policy': "default-src 'self'" });
    expect(one['content-security-policy']).toEqual(["default-src 'self'", 'sandbox']);
    const two = headersOf({ ...html, 'content-security-policy': ['a', 'sandbox allow-scripts'] });
    expect(two['content-security-policy']).toEqual(['a', 'sandbox allow-scripts', 'sandbox']);
  });

  it('gets only nosniff if no browser would render it as a page', () => {
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
