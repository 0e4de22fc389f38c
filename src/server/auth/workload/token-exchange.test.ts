import { type JsonObject, type JsonValue, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scopeCliFlag } from '../../../api/naming.ts';
import { type Clock, ManualClock } from '../../../lib/clock.ts';
import { groupPath, mergePatch, type ParsedResponse, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';
import { TestIssuer, type TokenVariation } from './workload-issuer.fixture.ts';

const audience = 'https://flotilla.example.com';
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const jwtType = 'urn:ietf:params:oauth:token-type:jwt';

let bench: ServerTestEnv;
let issuer: TestIssuer;
let server: RunningServer;

beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(async () => {
  await bench.close();
  await issuer.close();
});

const shop = {
  name: 'shop',
  when: 'claims.repository == "acme/shop" && claims.ref == "refs/heads/main"',
  user: 'ci',
  scope: { projects: [{ project: 'default' }], [scopeCliFlag]: true },
};

async function start(rules: JsonValue[] = [shop], clock?: Clock, more: JsonObject = {}): Promise<void> {
  issuer = await TestIssuer.start(clock === undefined ? Date.now : () => clock.now());
  const workloadIdentity = [{ name: 'github', issuer: issuer.url, audiences: [audience], rules, ...more }];
  server = await bench.start(await bench.settings({ auth: { workloadIdentity } }), clock);
  await bench.createObject(server, 'users', 'ci');
}

async function post(form: Record<string, string> | string): Promise<ParsedResponse> {
  const raw = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const type = 'application/x-www-form-urlencoded';
  return await bench.send(server, '/auth/token', { method: 'POST', token: '', type, raw });
}

function present(token: string, more: Record<string, string> = {}): Promise<ParsedResponse> {
  return post({ grant_type: exchangeGrant, subject_token: token, subject_token_type: jwtType, ...more });
}

async function exchanged(variation: TokenVariation = {}, more: Record<string, string> = {}): Promise<string> {
  const answer = await present(await issuer.sign(variation), more);
  expect(answer.code, answer.text).toBe(200);
  return textAt(answer.json, 'access_token');
}

const codeWith = async (token: string, path = `${groupPath}/selves`) =>
  (await bench.send(server, path, { token, method: 'POST', body: {} })).code;

async function workloadKeys(): Promise<readonly JsonObject[]> {
  const { json } = await bench.send(server, `${groupPath}/accesskeys`);
  return listAt(json, 'items').flatMap((item) => {
    const key = objectAt(item);
    return key !== undefined && textAt(key, 'metadata', 'name').startsWith('workload-') ? [key] : [];
  });
}

const audit = async () =>
  (await bench.read('audit.log'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)
    .filter((event) => textAt(event, 'requestURI') === '/auth/token' && textAt(event, 'stage') === 'ResponseComplete');

describe('POST /auth/token', () => {
  it('exchanges a token of a trusted issuer for an access key with the scope and lifetime of the rule (RFC 8693)', async () => {
    await start();
    const answer = await present(await issuer.sign());
    expect(answer.code, answer.text).toBe(200);
    expect(answer.json).toEqual({
      access_token: expect.any(String),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'shop',
    });
    expect(await codeWith(textAt(answer.json, 'access_token'))).toBe(201);
    const [key] = await workloadKeys();
    expect(key).toMatchObject({
      metadata: { labels: { 'platform.sh/workload-issuer': 'github', 'platform.sh/workload-rule': 'shop' } },
      spec: {
        user: 'ci',
        type: 'Other',
        ttl: 900,
        scope: shop.scope,
        displayName: 'Workload of github, rule shop: repo:acme/shop:ref:refs/heads/main',
        identity: { connector: 'github', userId: 'repo:acme/shop:ref:refs/heads/main' },
      },
    });
    expect(objectAt(key, 'spec')).not.toHaveProperty('key');
  });

  it('audits an exchange with the issuer, the subject, the rule and the key, and without the token', async () => {
    await start();
    const token = await issuer.sign();
    await present(token);
    const [event] = await audit();
    const [key] = await workloadKeys();
    expect(JSON.stringify(event)).toContain('rule shop');
    expect(JSON.stringify(event)).toContain('repo:acme/shop:ref:refs/heads/main');
    expect(JSON.stringify(event)).toContain(textAt(key, 'metadata', 'name'));
    expect(await bench.read('audit.log')).not.toContain(token);
  });

  it('tells the sender of a valid token the names of its claims if no rule matches, and the audit log the rules', async () => {
    await start();
    const answer = await present(await issuer.sign({ claims: { ref: 'refs/heads/feature' } }));
    expect(answer.code).toBe(400);
    expect(textAt(answer.json, 'error')).toBe('invalid_grant');
    expect(textAt(answer.json, 'error_description')).toBe(
      'no rule of the issuer github matches the token, which has the claims aud, exp, iat, iss, jti, nbf, ref, repository, sub',
    );
    expect(JSON.stringify(await audit())).toContain('shop: false');
    expect(await workloadKeys()).toEqual([]);
  });

  it('applies the first rule that matches, or the one that the client names as the scope', async () => {
    const any = { ...shop, name: 'read', when: 'claims.repository == "acme/shop"', ttl: 60 };
    await start([shop, any]);
    await exchanged();
    await exchanged({}, { scope: 'read' });
    const labels = (await workloadKeys()).map((key) => textAt(key, 'metadata', 'labels', 'platform.sh/workload-rule'));
    expect(labels.sort()).toEqual(['read', 'shop']);
    const elsewhere = await issuer.sign({ claims: { ref: 'refs/heads/feature' } });
    expect(textAt((await present(elsewhere, { scope: 'shop' })).json, 'error')).toBe('invalid_scope');
    expect(textAt((await present(elsewhere, { scope: 'admin' })).json, 'error')).toBe('invalid_scope');
  });

  it('accepts this server as the target, and no other', async () => {
    await start();
    await exchanged({}, { audience });
    const answer = await present(await issuer.sign(), { audience: 'https://elsewhere.example.com' });
    expect(textAt(answer.json, 'error')).toBe('invalid_target');
  });

  it('is absent if no issuer is trusted', async () => {
    issuer = await TestIssuer.start();
    server = await bench.start();
    expect((await post({})).code).toBe(404);
  });

  const malformed: readonly [string, string, string][] = [
    ['no grant type', 'subject_token=a', 'invalid_request'],
    ['another grant type', 'grant_type=password', 'unsupported_grant_type'],
    ['no token', `grant_type=${exchangeGrant}`, 'invalid_request'],
    ['two tokens', `grant_type=${exchangeGrant}&subject_token=a&subject_token=b`, 'invalid_request'],
    ['another token type', `grant_type=${exchangeGrant}&subject_token=a&subject_token_type=saml2`, 'invalid_request'],
    [
      'an actor',
      `grant_type=${exchangeGrant}&subject_token=a&subject_token_type=${jwtType}&actor_token=b`,
      'invalid_request',
    ],
    ['a body that is too long', `grant_type=${exchangeGrant}&subject_token=${'a'.repeat(30_000)}`, 'invalid_request'],
  ];
  it('rejects malformed requests with the error codes of OAuth', async () => {
    await start();
    for (const [what, form, error] of malformed) {
      const answer = await post(form);
      expect([answer.code, textAt(answer.json, 'error')], what).toEqual([400, error]);
    }
    const json = await bench.send(server, '/auth/token', { method: 'POST', token: '', body: {} });
    expect(textAt(json.json, 'error')).toBe('invalid_request');
    expect((await bench.send(server, '/auth/token', { token: '' })).code).toBe(405);
  });
});

describe('the access key of a workload', () => {
  it('cannot use more than its scope', async () => {
    const users = {
      rules: [{ verbs: ['get'], requestTargets: ['Management'], resources: [{ resources: ['users'] }] }],
    };
    await start([{ ...shop, scope: users }]);
    const key = await exchanged();
    const denied = await bench.send(server, `${groupPath}/projects`, { token: key });
    expect(denied.code).toBe(403);
  });

  it('cannot create a key that outlives it, or change keys', async () => {
    await start([{ ...shop, scope: { rules: [{}] } }]);
    const key = await exchanged();
    const body = { metadata: { name: 'longer' }, spec: { ttl: 86_400, scope: { projects: [{ project: 'default' }] } } };
    const created = await bench.send(server, `${groupPath}/ownedaccesskeys`, { token: key, method: 'POST', body });
    expect(created.code, created.text).toBe(201);
    expect(numberAt(created.json, 'spec', 'ttl')).toBeLessThanOrEqual(900);
    const [own] = await workloadKeys();
    const path = `${groupPath}/ownedaccesskeys/${textAt(own, 'metadata', 'name')}`;
    const patch = await bench.send(server, path, { ...mergePatch({ spec: { ttl: 86_400 } }), token: key });
    expect(patch.code).toBe(403);
  });

  it('keeps its lifetime and its type, also if an administrator changes it', async () => {
    await start();
    await exchanged();
    const [own] = await workloadKeys();
    const path = `${groupPath}/accesskeys/${textAt(own, 'metadata', 'name')}`;
    for (const spec of [{ ttl: 86_400 }, { ttlAfterLastActivity: true }, { type: 'User' }]) {
      expect((await bench.send(server, path, mergePatch({ spec }))).code).toBe(422);
    }
  });

  it('ends with its lifetime, and is then deleted', async () => {
    const clock = new ManualClock(Date.now());
    await start([{ ...shop, ttl: 120 }], clock);
    const key = await exchanged();
    expect(await codeWith(key)).toBe(201);
    clock.advance(121_000);
    expect(await codeWith(key)).toBe(401);
    // The deletion is repeated, because the server may record the last use of the key at the same time.
    const later = async () => {
      clock.advance(1_000);
      return await workloadKeys();
    };
    await expect.poll(later, { timeout: 20_000 }).toEqual([]);
  });

  it('ends when its user is disabled, who then gets no other', async () => {
    await start();
    const key = await exchanged();
    await bench.send(server, `${groupPath}/users/ci`, mergePatch({ spec: { disabled: true } }));
    expect(await codeWith(key)).toBe(401);
    const answer = await present(await issuer.sign());
    expect(textAt(answer.json, 'error_description')).toBe(
      "the rule that matches gives no access now: the user 'ci' is disabled",
    );
  });

  it('does not exist for a user that does not exist, or from an address that the user may not use', async () => {
    await start([{ ...shop, user: 'nobody' }]);
    expect(textAt((await present(await issuer.sign())).json, 'error_description')).toContain('does not exist');
    await bench.createObject(server, 'users', 'nobody', { allowedCIDRs: ['192.0.2.0/24'] });
    expect(textAt((await present(await issuer.sign())).json, 'error_description')).toContain('may not log in from');
  });

  it('is in the access of its user, and ends when the user is offboarded', async () => {
    await start();
    const key = await exchanged();
    const [own] = await workloadKeys();
    const listed = await bench.send(server, `${groupPath}/users/ci/accesskeys`);
    expect(listed.text).toContain(textAt(own, 'metadata', 'name'));
    const offboarded = await bench.send(server, `${groupPath}/users/ci/offboard`, { method: 'POST', body: {} });
    expect(offboarded.code, offboarded.text).toBe(201);
    expect(await codeWith(key)).toBe(401);
    expect(await workloadKeys()).toEqual([]);
  });

  it('is one of at most ten unexpired keys per token', async () => {
    await start();
    const token = await issuer.sign();
    for (let count = 0; count < 10; count++) expect((await present(token)).code).toBe(200);
    const answer = await present(token);
    expect([answer.code, textAt(answer.json, 'error')]).toEqual([400, 'invalid_grant']);
    expect(textAt(answer.json, 'error_description')).toContain('already exchanged for 10 access keys');
    await exchanged();
  });

  it('does not count as a key of its user', async () => {
    issuer = await TestIssuer.start();
    const workloadIdentity = [{ name: 'github', issuer: issuer.url, audiences: [audience], rules: [shop] }];
    server = await bench.start(await bench.settings({ auth: { workloadIdentity }, accessKeys: { perUser: 1 } }));
    await bench.createObject(server, 'users', 'ci');
    await exchanged();
    await exchanged();
    await bench.createKey(server, 'own', { user: 'ci' });
  });
});
