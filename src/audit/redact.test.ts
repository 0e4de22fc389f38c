import { describe, expect, it } from 'vitest';
import { redactUri, redactUserAgent } from './redact.ts';

const key = `flk_${'a1B2'.repeat(10)}abcdef`;

describe('redactUri', () => {
  it('keeps the parameters of the API', () => {
    const uri = '/apis/x/v1/things?watch=true&resourceVersion=5&labelSelector=a%3Db&limit=500&pretty';
    expect(redactUri(uri)).toBe(uri);
  });

  it.each(['token', 'access_token', 'key', 'password', 'whatever'])('redacts the value of ?%s=', (name) => {
    expect(redactUri(`/x?watch=1&${name}=secret&limit=2`)).toBe(`/x?watch=1&${name}=[redacted]&limit=2`);
  });

  it('redacts an unknown parameter without a value', () => {
    expect(redactUri('/x?mysecret')).toBe('/x?[redacted]');
  });

  it('redacts keys and tokens anywhere', () => {
    expect(redactUri(`/apis/${key}/x`)).toBe('/apis/[redacted]/x');
    expect(redactUri(`/x?fieldSelector=spec.key=${key}`)).toBe('/x?fieldSelector=spec.key=[redacted]');
    expect(redactUri('/x/eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl')).toBe('/x/[redacted]');
  });

  it('redacts field selector values except names', () => {
    const kept = '/x?fieldSelector=metadata.name%3Da,metadata.namespace=b';
    expect(redactUri(kept)).toBe(kept);
    expect(redactUri('/x?fieldSelector=metadata.name%3Da%2Cspec.key%21%3Dhidden')).toBe(
      '/x?fieldSelector=metadata.name%3Da,spec.key=[redacted]',
    );
    expect(redactUri('/x?fieldSelector=spec.key=a%5C,hidden')).toBe('/x?fieldSelector=spec.key=[redacted],[redacted]');
    expect(redactUri('/x?fieldSelector=%6Dysecret==hidden&limit=1')).toBe(
      '/x?fieldSelector=%6Dysecret=[redacted]&limit=1',
    );
    expect(redactUri('/x?fieldSelector=')).toBe('/x?fieldSelector=');
  });

  it('takes linear time for a text that consists of token prefixes', () => {
    const uri = `/${'eyJ'.repeat(300_000)}`;
    expect(redactUri(uri)).toBe(`${uri.slice(0, 4096)}…`);
  });

  it('limits the length of its result', () => {
    expect(redactUri(`/${'x'.repeat(10_000)}`).length).toBeLessThan(4100);
    expect(redactUserAgent(`agent ${key} ${'x'.repeat(1000)}`)).toMatch(/^agent \[redacted\] x{200,}…$/);
  });
});
