import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'workload-settings-'));
});
afterEach(() => rm(root, { recursive: true }));

const rule = {
  name: 'shop',
  when: 'claims.repository == "acme/shop"',
  user: 'ci',
  scope: { projects: [{ project: 'default' }] },
};
const github = { name: 'github', issuer: 'https://token.actions.githubusercontent.com', rules: [rule] };

async function read(workloadIdentity: JsonObject[], flags: Record<string, string> = {}) {
  const config = join(root, 'config.yaml');
  await writeFile(config, JSON.stringify({ auth: { workloadIdentity } }));
  return (await readOptions({ config, 'external-url': 'https://flotilla.example.com', ...flags })).auth
    .workloadIdentity;
}

describe('auth.workloadIdentity', () => {
  it('has the external URL as the audience, and a lifetime of 15 minutes, by default', async () => {
    expect(await read([github])).toEqual([
      { ...github, audiences: ['https://flotilla.example.com'], rules: [{ ...rule, ttl: 900 }] },
    ]);
  });

  const withRule = (changed: JsonObject): JsonObject => ({ ...github, rules: [{ ...rule, ...changed }] });
  const wrong: readonly [string, JsonObject[], string][] = [
    ['no name', [{ ...github, name: '' }], 'needs a "name"'],
    ['a name that is not a label', [{ ...github, name: 'Git Hub' }], 'needs a "name"'],
    ['no issuer', [{ ...github, issuer: '' }], 'needs another "issuer"'],
    ['an issuer without TLS', [{ ...github, issuer: 'http://ci.example.com' }], 'must start with https://'],
    ['an issuer that looks like loopback', [{ ...github, issuer: 'http://127.0.0.1.example.com' }], 'must start with'],
    ['an issuer with a password', [{ ...github, issuer: 'https://a:b@ci.example.com' }], 'a user or a password'],
    ['a key set without TLS', [{ ...github, jwksUri: 'http://ci.example.com/keys' }], 'needs another "jwksUri"'],
    ['two sources of keys', [{ ...github, jwksUri: 'https://a.example.com', jwksFile: '/a' }], 'must not have both'],
    ['an unknown member', [{ ...github, audience: 'a' }], '"auth.workloadIdentity[0].audience" is not a known'],
    [
      'two issuers with one name',
      [github, { ...github, issuer: 'https://b.example.com' }],
      'two issuers have the name',
    ],
    ['one issuer twice', [github, { ...github, name: 'other' }], 'the same "issuer" as another one'],
    ['no rules', [{ ...github, rules: [] }], 'needs "rules"'],
    ['two rules with one name', [{ ...github, rules: [rule, rule] }], 'two rules with the name shop'],
    ['a CA file that does not exist', [{ ...github, caFile: '/nonexistent/ca.crt' }], 'caFile /nonexistent/ca.crt'],
    ['a rule without a name', [withRule({ name: '' })], 'has a rule without a "name"'],
    ['a rule without a condition', [withRule({ when: '' })], 'has the rule shop without "when"'],
    ['a rule without a user', [withRule({ user: '' })], 'has the rule shop without "user"'],
    ['a rule without a scope', [withRule({ scope: null })], 'has the rule shop without "scope"'],
    ['a rule with an unknown member', [withRule({ groups: ['a'] })], 'rules[0].groups" is not a known setting'],
    ['a condition with a syntax error', [withRule({ when: 'claims.' })], 'is not a valid CEL expression'],
    ['a condition with an unknown variable', [withRule({ when: 'token.a == "b"' })], 'is not a valid CEL expression'],
    ['a condition that is not a boolean', [withRule({ when: 'claims.repository' })], 'must be true or false'],
    ['a condition that is always true', [withRule({ when: 'true' })], 'must use "claims"'],
    ['an empty scope', [withRule({ scope: {} })], 'a scope must not be empty'],
    [
      'a scope with an unknown member',
      [withRule({ scope: { project: [], ...rule.scope } })],
      '"project" is not a known',
    ],
    ['a scope with a wrong type', [withRule({ scope: { projects: 'default' } })], 'scope.projects'],
    ['a scope entry without a name', [withRule({ scope: { projects: [{}] } })], 'scope.projects[0].project'],
    ['a lifetime of a day', [withRule({ ttl: 86_400 })], 'rules[0].ttl" must be an integer from 60 to 3600'],
  ];
  for (const [what, entries, message] of wrong) {
    it(`rejects ${what}, and names the field`, async () => {
      await expect(read(entries)).rejects.toThrow(message);
    });
  }

  it('needs audiences if the server has no external URL', async () => {
    const config = join(root, 'config.yaml');
    await writeFile(config, JSON.stringify({ auth: { workloadIdentity: [github] } }));
    await expect(readOptions({ config })).rejects.toThrow('needs "audiences"');
  });
});
