import { describe, expect, it } from 'vitest';
import { StoreError } from '../../store-error.ts';
import { parseEndpoints } from './endpoints.ts';

describe('parseEndpoints', () => {
  it.each([
    ['https://etcd-1:2379', 'etcd-1', 2379, true],
    ['https://etcd-1', 'etcd-1', 2379, true],
    ['https://etcd-1:443/', 'etcd-1', 443, true],
    ['https://[fd00::1]:2379', 'fd00::1', 2379, true],
    ['http://127.0.0.1:80', '127.0.0.1', 80, false],
    ['http://localhost:1234', 'localhost', 1234, false],
    ['http://[::1]:1234', '::1', 1234, false],
  ])('accepts %s', (url, host, port, secure) => {
    expect(parseEndpoints(url)).toEqual([{ url, host, port, secure }]);
  });

  it('accepts a list', () => {
    expect(parseEndpoints('https://a:1, https://b:2').map(({ host }) => host)).toEqual(['a', 'b']);
  });

  it.each([
    ['', 'it must be a URL'],
    ['etcd-1:2379', 'it must be a URL'],
    ['etcd://etcd-1:2379', 'it must start with https:// or http://'],
    ['http://etcd-1:2379', 'loopback addresses only'],
    ['http://127.0.0.1.example.com:2379', 'loopback addresses only'],
    ['https://user:secret@etcd-1:2379', 'must not contain a user name'],
    ['https://etcd-1:2379/v3', 'it must end after the port'],
    ['https://a:1,http://127.0.0.1:2', 'either all https or all http'],
    ['https://a:1,', 'it must be a URL'],
  ])('rejects %j', (text, reason) => {
    expect(() => parseEndpoints(text)).toThrow(StoreError);
    expect(() => parseEndpoints(text)).toThrow(reason);
  });
});
