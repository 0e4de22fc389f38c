import { describe, expect, it } from 'vitest';
import { defaultCredentialLimits } from '../../api/credential-limits.ts';
import { readPolicyLine } from './read-policy-line.ts';

const key = { name: 'k', uid: 'u', mark: 'm', user: { name: 'anna', groups: [] }, scopes: [] };
const begin = { type: 'BEGIN', installation: 'i', apiPrefix: 'kubernetes', serviceAccountTokens: true, time: 1 };
const good = [
  { ...begin, limits: defaultCredentialLimits },
  begin,
  { type: 'OBJECT', kind: 'Project', object: { metadata: { name: 'p' } } },
  { type: 'NO_OBJECT', kind: 'Project', namespace: '', name: 'p' },
  { type: 'SPACE', object: { metadata: { name: 's' } } },
  { type: 'NO_SPACE', namespace: 'n', name: 's' },
  { type: 'KEY', key },
  { type: 'KEY', key: { ...key, expiresAt: 5, scopes: [{}] } },
  { type: 'NO_KEY', name: 'k' },
  { type: 'SIGNING_KEYS', keys: { keys: [{ kid: 'a' }] } },
  { type: 'SYNCED', time: 1 },
  { type: 'ALIVE', time: 1 },
];

describe('a line of the policy feed', () => {
  it.each(good)('is parsed: $type', (line) => {
    expect(readPolicyLine(JSON.stringify(line))).toEqual(line);
  });

  it('is ignored if a newer server sends an unknown type', () => {
    expect(readPolicyLine('{"type":"WEATHER"}')).toBeUndefined();
    expect(readPolicyLine('{"type":"toString"}')).toBeUndefined();
  });

  it.each([
    'null',
    '[]',
    '{}',
    '{"type":"BEGIN"}',
    JSON.stringify({ ...begin, limits: {} }),
    JSON.stringify({ ...begin, limits: { ...defaultCredentialLimits, watchesPerKey: -1 } }),
    '{"type":"OBJECT","kind":"Secret","object":{"metadata":{"name":"p"}}}',
    '{"type":"OBJECT","kind":"Project","object":{"metadata":{}}}',
    '{"type":"NO_OBJECT","kind":"Project","name":"p"}',
    '{"type":"SPACE","object":{"metadata":{}}}',
    '{"type":"NO_SPACE","name":"s"}',
    '{"type":"OBJECT","kind":"SpaceInstance","object":{"metadata":{"name":"s"}}}',
    '{"type":"NO_KEY"}',
    '{"type":"SIGNING_KEYS","keys":{}}',
    '{"type":"SYNCED"}',
    '{"type":"ALIVE","time":null}',
    ...[{ user: null }, { mark: '' }, { scopes: ['all'] }, { expiresAt: 'never' }, { user: { name: 'a' } }].map(
      (part) => JSON.stringify({ type: 'KEY', key: { ...key, ...part } }),
    ),
    '{"type":"SYN',
  ])('is rejected if a required field is missing or invalid: %s', (text) => {
    expect(() => readPolicyLine(text)).toThrow();
  });
});
