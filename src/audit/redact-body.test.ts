import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { redactBody } from './redact-body.ts';

const canary = 'Zq4vLw9XkT2mB7cR5yN8pD3fH6jS1aGe0oQu';
const audited = (value: JsonValue) => redactBody({ kind: {}, value: () => value });

describe('a body in the audit log', () => {
  it('is unchanged if it contains no secret', () => {
    const value = { metadata: { name: 'x', labels: { a: 'b' } }, spec: { displayName: 'X', ttl: 5, list: [1, null] } };
    expect(audited(value)).toEqual(value);
  });

  it.each([
    ['a key', { spec: { key: canary } }],
    ['a password', { spec: { password: canary } }],
    ['a token', { status: { token: canary } }],
    ['a token in a list', { users: [{ user: { token: canary } }] }],
    ['a kubeconfig', { spec: { kubeconfig: { users: [canary] } } }],
    ['parameters', { spec: { parameters: `password: ${canary}` } }],
    ['chart values', { spec: { template: { helmRelease: { values: `token: ${canary}` } } } }],
    [
      'the last-applied configuration of kubectl',
      {
        metadata: {
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"spec":{"key":"${canary}"}}` },
        },
      },
    ],
    ['a replaced key', [{ op: 'replace', path: '/spec/key', value: canary }]],
    ['a replaced spec', [{ op: 'replace', path: '/spec', value: { key: canary } }]],
    [
      'the last-applied configuration in a patch',
      [{ op: 'add', path: '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration', value: canary }],
    ],
  ] as [string, JsonValue][])('does not contain %s', (_what, value) => {
    expect(JSON.stringify(audited(value))).not.toContain(canary);
  });

  it('is redacted completely for a confidential kind', () => {
    expect(redactBody({ kind: { confidential: true }, value: () => ({ metadata: { name: canary } }) })).toBe(
      '[redacted]',
    );
  });

  it('is replaced with its length if it is too long for a line', () => {
    expect(audited({ text: 'x'.repeat(100_000) })).toMatch(/^\[left out: 1000\d\d characters\]$/);
  });

  it('keeps every digit of a number and ignores inherited members', () => {
    expect(audited({ n: 9_007_199_254_740_993n })).toEqual({ n: '9007199254740993' });
    const copy = audited(JSON.parse('{"__proto__":{"a":1}}') as JsonValue);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
  });
});
