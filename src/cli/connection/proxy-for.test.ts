import { describe, expect, it } from 'vitest';
import { proxyFor } from './proxy-for.ts';
import { parseServerAddress } from './server-address.ts';

const of = (url: string, environment: Record<string, string>) => proxyFor(new URL(url), environment)?.href;

describe('the proxy', () => {
  it.each([
    [{}, undefined],
    [{ HTTPS_PROXY: 'http://p:3128' }, 'http://p:3128/'],
    [{ https_proxy: 'p:3128' }, 'http://p:3128/'],
    [{ ALL_PROXY: 'https://p' }, 'https://p/'],
    [{ HTTP_PROXY: 'http://p' }, undefined],
    [{ HTTPS_PROXY: 'socks5://p' }, undefined],
    [{ HTTPS_PROXY: 'p', NO_PROXY: '*' }, undefined],
    [{ HTTPS_PROXY: 'p', NO_PROXY: 'other, example.com' }, undefined],
    [{ HTTPS_PROXY: 'p', NO_PROXY: '.example.com' }, undefined],
    [{ HTTPS_PROXY: 'p', no_proxy: 'a.example.com:8443' }, undefined],
    [{ HTTPS_PROXY: 'p', NO_PROXY: 'a.example.com:443' }, 'http://p/'],
    [{ HTTPS_PROXY: 'p', NO_PROXY: 'ample.com' }, 'http://p/'],
  ])('for %j is %s', (environment, expected) => {
    expect(of('https://a.example.com:8443/x', environment as unknown as Record<string, string>)).toBe(expected);
  });

  it('is not used for excluded addresses', () => {
    expect(of('https://[::1]:8443', { HTTPS_PROXY: 'p', NO_PROXY: '::1' })).toBeUndefined();
    expect(of('https://[::1]:8443', { HTTPS_PROXY: 'p', NO_PROXY: '[::1]:443' })).toBe('http://p/');
    expect(of('https://10.1.2.3', { HTTPS_PROXY: 'p', NO_PROXY: '10.0.0.0/8' })).toBeUndefined();
    expect(of('https://11.1.2.3', { HTTPS_PROXY: 'p', NO_PROXY: '10.0.0.0/8,11.0.0.0/99' })).toBe('http://p/');
    expect(of('https://127.0.0.1', { HTTPS_PROXY: 'p', NO_PROXY: 'localhost,127.0.0.1' })).toBeUndefined();
  });
});

describe('the address of a server', () => {
  it.each([
    ['https://a:8443', 'https://a:8443', 'kubernetes'],
    ['https://a:8443/', 'https://a:8443', 'kubernetes'],
    ['https://a/kubernetes/management', 'https://a', 'kubernetes'],
    ['https://a/other/', 'https://a', 'other'],
  ])('is parsed from %s', (text, url, apiPrefix) => {
    expect(parseServerAddress(text)).toEqual({ url, apiPrefix });
  });

  it.each(['a:8443', 'http://a', 'https://u:p@a', 'https://a/x/y', 'https://a/kubernetes/management/apis', ''])(
    'cannot be %s',
    (text) => {
      expect(() => parseServerAddress(text)).toThrow(expect.objectContaining({ exitCode: 2 }));
    },
  );
});
