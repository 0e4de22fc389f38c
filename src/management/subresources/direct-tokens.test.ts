import { type JsonObject, objectAt, textAt } from '@flotilla/json';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { directTokenAudience } from '../../auth/direct-token.ts';
import { verifyDirectToken } from '../../auth/verify-direct-token.ts';
import type { RequestContext } from '../../registry/context.ts';
import { dryRun, openManagementTestEnv, rejectionStatus, writeOptions } from '../management.fixture.ts';

const plural = 'directclusterendpointtokens';
const scope = { projects: [{ project: 'blue' }] };

async function setUp() {
  const management = await openManagementTestEnv();
  const { create, as, verbs, sent, publicKeys, clock } = management;
  await create('users', 'anna', { groups: ['builders'] });
  await create('ownedaccesskeys', 'nightly', {}, as('anna'));
  const ask = async (spec: JsonObject | undefined, context: RequestContext = as('anna', '', 'nightly'), name = '') => {
    const body = sent(plural, name, spec === undefined ? {} : { spec });
    return (await verbs(plural).create(context, body, writeOptions)).object;
  };
  const token = async (...rest: Parameters<typeof ask>) => textAt(await ask(...rest), 'status', 'token');
  const claims = async (...rest: Parameters<typeof ask>) => {
    const options = { keys: publicKeys, issuer: 'test-installation', now: clock.now() };
    const verified = await verifyDirectToken(await token(...rest), options);
    if (verified.claims === undefined) throw new Error(`refused: ${verified.refusal}`);
    return verified.claims;
  };
  const seconds = () => Math.floor(clock.now() / 1000);
  return { ...management, ask, token, claims, seconds };
}

describe('directclusterendpointtokens (completions §6)', () => {
  it('a token is signed for the caller, their groups and their key', async () => {
    const { token, claims, seconds, state } = await setUp();
    expect(await claims({})).toEqual({
      issuer: 'test-installation',
      subject: 'anna',
      groups: ['builders', 'system:authenticated', 'platform:authenticated', 'platform:user:anna'],
      scopes: [],
      accessKey: {
        name: 'nightly',
        uid: state.accessKey('nightly')?.metadata.uid,
        mark: expect.stringMatching(/^.{16}$/),
      },
      issuedAt: seconds(),
      expiresAt: seconds() + 3600,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(decodeProtectedHeader(await token({}))).toEqual({ alg: 'ES256', kid: 'test-key', typ: 'JWT' });
    expect(decodeJwt(await token({})).aud).toBe(directTokenAudience);
    expect((await claims({})).id).not.toBe((await claims({})).id);
  });

  it('name and spec are optional, and the response repeats the request', async () => {
    const { ask } = await setUp();
    const bare = await ask(undefined);
    expect(bare).toMatchObject({ kind: 'DirectClusterEndpointToken', spec: {}, status: { token: expect.any(String) } });
    expect(bare.metadata.name).toBeUndefined();
    const named = await ask({ ttl: 60, scope }, undefined, 'mine');
    expect(named).toMatchObject({ metadata: { name: 'mine' }, spec: { ttl: 60, scope } });
  });

  it('a generateName gives the token a name', async () => {
    const { as, verbs, sent } = await setUp();
    const body = sent(plural, '', {}, { generateName: 'ci-' });
    const made = (await verbs(plural).create(as('anna', '', 'nightly'), body, writeOptions)).object;
    expect(made.metadata).toEqual({ generateName: 'ci-', name: expect.stringMatching(/^ci-[a-z0-9]{5}$/) });
  });

  it('a token has the requested lifetime, up to the maximum of the server', async () => {
    const { claims, ask, seconds } = await setUp();
    const most = 30 * 24 * 3600;
    expect((await claims({ ttl: 1 })).expiresAt).toBe(seconds() + 1);
    expect((await claims({ ttl: most })).expiresAt).toBe(seconds() + most);
    for (const ttl of [0, -1, most + 1, 2 ** 60]) {
      const status = await rejectionStatus(ask({ ttl }));
      expect(status, String(ttl)).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.ttl' }] } });
    }
  });

  it('a token does not outlive its key, and a warning reports it', async () => {
    const { create, as, claims, seconds } = await setUp();
    await create('ownedaccesskeys', 'short', { ttl: 600 }, as('anna'));
    const context = as('anna', '', 'short');
    expect((await claims({ ttl: 3600 }, context)).expiresAt).toBe(seconds() + 600);
    expect(context.warnings).toEqual(['the token expires in 600 seconds: it does not outlive its access key']);
    const within = as('anna', '', 'short');
    expect((await claims({ ttl: 60 }, within)).expiresAt).toBe(seconds() + 60);
    expect(within.warnings).toEqual([]);
  });

  it('a token expires with the key that created its key', async () => {
    const { create, as, claims, clock, seconds } = await setUp();
    await create('ownedaccesskeys', 'parent', { ttl: 600 }, as('anna'));
    clock.advance(100_000);
    await create('ownedaccesskeys', 'child', {}, as('anna', '', 'parent'));
    expect((await claims({}, as('anna', '', 'child'))).expiresAt).toBe(seconds() + 500);
  });

  it('requesting a token counts as a use of a key that expires by inactivity', async () => {
    const { create, as, claims, clock, seconds } = await setUp();
    await create('ownedaccesskeys', 'sliding', { ttl: 600, ttlAfterLastActivity: true }, as('anna'));
    clock.advance(500_000);
    expect((await claims({}, as('anna', '', 'sliding'))).expiresAt).toBe(seconds() + 600);
  });

  it('a token carries its own scope and all scopes of its key', async () => {
    const { create, as, claims } = await setUp();
    const wide = { projects: [{ project: '*' }] };
    await create('ownedaccesskeys', 'wide', { scope: wide }, as('anna'));
    await create('ownedaccesskeys', 'narrow', { scope }, as('anna', '', 'wide'));
    const own = { clusters: [{ cluster: 'local' }] };
    expect((await claims({ scope: own }, as('anna', '', 'narrow'))).scopes).toEqual([own, scope, wide]);
    expect((await claims({}, as('anna', '', 'wide'))).scopes).toEqual([wide]);
    expect((await claims({ scope: null })).scopes).toEqual([]);
  });

  it('an invalid or empty scope is rejected', async () => {
    const { ask } = await setUp();
    expect(await rejectionStatus(ask({ scope: {}, ttl: 0 }))).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.ttl' }, { field: 'spec.scope' }] },
    });
    const numbers = { projects: [{ project: 12345678901234567890n }] };
    expect((await rejectionStatus(ask({ scope: numbers }))).code).toBe(422);
  });

  it('members of a wrong type are rejected together with other errors', async () => {
    const { ask } = await setUp();
    for (const wrong of [{ projects: 'all' }, { rules: [5] }, { rules: [{ resources: 'pods' }] }, 'all'])
      expect(await rejectionStatus(ask({ scope: wrong, ttl: 0 }))).toMatchObject({
        code: 422,
        details: {
          causes: expect.arrayContaining([
            expect.objectContaining({ reason: 'FieldValueTypeInvalid' }),
            expect.objectContaining({ field: 'spec.ttl' }),
          ]),
        },
      });
  });

  it('a token contains at most 8 KiB of scopes', async () => {
    const { create, as, ask, claims } = await setUp();
    const sized = (bytes: number) => {
      const empty = JSON.stringify([{ projects: [{ project: '' }] }]).length;
      return { projects: [{ project: 'x'.repeat(bytes - empty) }] };
    };
    expect((await claims({ scope: sized(8192) })).scopes).toHaveLength(1);
    expect(await rejectionStatus(ask({ scope: sized(8193) }))).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.scope: Too long: may not be more than 8192 bytes'),
    });
    await create('ownedaccesskeys', 'big', { scope: sized(5000) }, as('anna'));
    expect((await rejectionStatus(ask({ scope: sized(5000) }, as('anna', '', 'big')))).code).toBe(422);
  });

  it('a token contains no system groups and is only for the identity of its key', async () => {
    const { create, as, contextOf, claims, ask, admin } = await setUp();
    await create('ownedaccesskeys', 'root', {}, admin());
    const anna = as('anna').user;
    for (const user of [anna, { name: 'admin', groups: ['system:masters'] }, { name: 'system:admin', groups: [] }]) {
      expect((await rejectionStatus(ask({}, contextOf(user, '', 'root')))).code, user.name).toBe(403);
    }
    const fewer = { name: 'admin', groups: ['system:authenticated'] };
    expect(await claims({}, contextOf(fewer, '', 'root'))).toMatchObject({ groups: ['system:authenticated'] });
  });

  it('a token is requested with an existing key', async () => {
    const { ask, as } = await setUp();
    expect((await rejectionStatus(ask({}, as('anna')))).code).toBe(403);
    expect((await rejectionStatus(ask({}, as('anna', '', 'gone')))).code).toBe(403);
  });

  it('a dry run validates the request and creates no token', async () => {
    const { verbs, as, sent } = await setUp();
    const context = as('anna', '', 'nightly');
    const checked = await verbs(plural).create(context, sent(plural, '', { spec: { ttl: 5 } }), dryRun);
    expect(objectAt(checked.object, 'status')).toBeUndefined();
    const wrong = verbs(plural).create(context, sent(plural, '', { spec: { ttl: 0 } }), dryRun);
    expect((await rejectionStatus(wrong)).code).toBe(422);
  });

  it('nothing is stored, and a status in the request is ignored', async () => {
    const { verbs, as, sent, store } = await setUp();
    const before = await store.revision('management');
    const body = sent(plural, 'x', { spec: {}, status: { token: 'mine' } });
    const made = await verbs(plural).create(as('anna', '', 'nightly'), body, writeOptions);
    expect(textAt(made.object, 'status', 'token')).toMatch(/^eyJ/);
    expect(await store.revision('management')).toBe(before);
  });
});
