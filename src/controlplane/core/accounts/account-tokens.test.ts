import { type JsonObject, type JsonValue, textAt, valueAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeDocument } from '../../../registry/write/decode.ts';
import {
  type CoreTestEnv,
  eventually,
  expectStatusError,
  openCoreTestEnv,
  testTokenKeys,
  testWriteOptions,
} from '../core.fixture.ts';

let plane: CoreTestEnv;
beforeEach(async () => {
  plane = await openCoreTestEnv({ longestTokenSeconds: 7200 });
  await plane.create('serviceaccounts', { metadata: { name: 'robot' } });
});
afterEach(() => plane.close());

async function request(body: JsonObject = {}, name = 'robot', from = plane): Promise<JsonObject> {
  const token = from.plane.find('', 'v1', 'serviceaccounts')?.subresources.token;
  if (token?.verbs.createNamed === undefined) throw new Error('no token subresource');
  const { object } = decodeDocument(token.kind, body, { findings: [], namespace: 'default' });
  const served = await token.verbs.createNamed(from.context(), name, object, testWriteOptions);
  return JSON.parse(served.json()) as JsonObject;
}

async function tokenOf(body: JsonObject = {}): Promise<string> {
  return textAt(await request(body), 'status', 'token');
}

function claimsOf(token: string): JsonValue {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonValue;
}

async function review(spec: JsonObject): Promise<JsonObject> {
  const reviews = plane.plane.find('authentication.k8s.io', 'v1', 'tokenreviews');
  if (reviews?.verbs.create === undefined) throw new Error('no token reviews');
  const { object } = decodeDocument(reviews.kind, { spec }, { findings: [] });
  const served = await reviews.verbs.create(plane.context(''), object, testWriteOptions);
  return JSON.parse(served.json()) as JsonObject;
}

describe('a token request', () => {
  it('returns a token with the claims of Kubernetes', async () => {
    const answer = await request();
    const account = plane.peek('serviceaccounts', 'robot')?.metadata;
    expect(answer).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'robot', namespace: 'default', uid: account?.uid, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { audiences: ['installation/plane'], expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: '2026-01-01T01:00:00Z' },
    });
    const now = Date.parse('2026-01-01T00:00:00Z') / 1000;
    expect(claimsOf(textAt(answer, 'status', 'token'))).toMatchObject({
      aud: ['installation/plane'],
      exp: now + 3600,
      iat: now,
      nbf: now,
      iss: 'installation/plane',
      sub: 'system:serviceaccount:default:robot',
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid: account?.uid } },
    });
  });

  it.each([
    [5, 'Invalid value: 5: may not specify a duration less than 10 minutes'],
    [4_294_967_297, 'Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds'],
  ])('is refused for %d seconds', async (expirationSeconds, fault) => {
    const error = await expectStatusError(request({ spec: { expirationSeconds } }));
    expect(error.status.message).toBe(
      `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: ${fault}`,
    );
  });

  it('is shortened to the maximum lifetime, with a warning', async () => {
    const answer = await request({ spec: { expirationSeconds: 10_000 } });
    expect(valueAt(answer, 'spec', 'expirationSeconds')).toBe(7200);
    expect(plane.warnings).toEqual(['requested expiration of 10000 seconds shortened to 7200 seconds']);
  });

  it('is refused for an account, an object or a uid that does not exist', async () => {
    await plane.create('secrets', { metadata: { name: 'bound' } });
    const bound = (reference: JsonObject) => ({ spec: { boundObjectRef: { apiVersion: 'v1', ...reference } } });
    const uid = plane.peek('serviceaccounts', 'robot')?.metadata.uid;
    const refusals: [Promise<unknown>, number, string][] = [
      [request({}, 'nobody'), 404, 'serviceaccounts "nobody" not found'],
      [request(bound({ kind: 'Secret', name: 'nope' })), 404, 'secrets "nope" not found'],
      [
        request(bound({ kind: 'Secret', name: 'bound', uid: 'x' })),
        409,
        'Operation cannot be fulfilled on Secret "bound": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
      ],
      [request(bound({ kind: 'Pod', name: 'p' })), 400, 'cannot bind token to object of type /v1, Kind=Pod'],
      [
        request({ metadata: { name: 'other' } }),
        422,
        'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
      ],
      [
        request({ metadata: { uid: 'x' } }),
        409,
        `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (x) does not match the UID of the service account (${uid})`,
      ],
    ];
    for (const [call, code, message] of refusals) {
      const error = await expectStatusError(call);
      expect([error.code, error.status.message]).toEqual([code, message]);
    }
  });
});

describe('the token of a service account', () => {
  it('authenticates in its own plane, with the name and the groups of the account', async () => {
    const token = await tokenOf();
    const identity = await plane.core.authenticate(token);
    expect(identity).toMatchObject({
      system: false,
      user: {
        name: 'system:serviceaccount:default:robot',
        uid: plane.peek('serviceaccounts', 'robot')?.metadata.uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${textAt(claimsOf(token), 'jti')}`] },
      },
    });
    expect((await plane.core.authenticate(token))?.signal).toBe(identity?.signal);
  });

  it('does not authenticate in another plane of the same installation', async () => {
    const { store, clock, keys } = plane;
    const other = await openCoreTestEnv({ id: 'plane2', store, clock, keys });
    try {
      await other.create('serviceaccounts', { metadata: { name: 'robot' } });
      expect(await other.core.authenticate(await tokenOf())).toBeUndefined();
      const foreign = textAt(
        await request({ spec: { audiences: ['installation/plane'] } }, 'robot', other),
        'status',
        'token',
      );
      expect(await plane.core.authenticate(foreign)).toBeUndefined();
    } finally {
      await other.close();
    }
  });

  it('does not authenticate with another audience, damaged, or signed with a foreign key', async () => {
    const elsewhere = await tokenOf({ spec: { audiences: ['vault'] } });
    expect(await plane.core.authenticate(elsewhere)).toBeUndefined();
    const token = await tokenOf();
    expect(await plane.core.authenticate(`${token.slice(0, -2)}AA`)).toBeUndefined();
    const [head = '', body = ''] = token.split('.');
    expect(await plane.core.authenticate(`${head}.${body}.`)).toBeUndefined();
    const grown = { ...(claimsOf(token) as JsonObject), exp: 9_999_999_999 };
    const forged = `${head}.${Buffer.from(JSON.stringify(grown)).toString('base64url')}.${token.split('.')[2]}`;
    expect(await plane.core.authenticate(forged)).toBeUndefined();
  });

  it('expires, and ends everything that is open under it', async () => {
    const token = await tokenOf({ spec: { expirationSeconds: 600 } });
    const identity = await plane.core.authenticate(token);
    plane.clock.advance(599_999);
    expect(identity?.signal.aborted).toBe(false);
    plane.clock.advance(1);
    expect(identity?.signal.aborted).toBe(true);
    expect(identity?.signal.reason).toMatchObject({ code: 401 });
    expect(await plane.core.authenticate(token)).toBeUndefined();
  });

  it('becomes invalid with its account, also if another account gets the same name', async () => {
    const token = await tokenOf();
    const identity = await plane.core.authenticate(token);
    await plane.update('serviceaccounts', { metadata: { name: 'robot', labels: { a: 'b' } } });
    expect(identity?.signal.aborted).toBe(false);
    await plane.remove('serviceaccounts', 'robot');
    expect(identity?.signal.aborted).toBe(true);
    await plane.create('serviceaccounts', { metadata: { name: 'robot' } });
    expect(await plane.core.authenticate(token)).toBeUndefined();
  });

  it('becomes invalid a minute after the deletion of its account began, even if finalizers are left', async () => {
    await plane.update('serviceaccounts', { metadata: { name: 'robot', finalizers: ['example.com/hold'] } });
    const token = await tokenOf();
    await plane.remove('serviceaccounts', 'robot');
    expect(await plane.core.authenticate(token)).toBeDefined();
    plane.clock.advance(61_000);
    expect(await plane.core.authenticate(token)).toBeUndefined();
  });

  it('becomes invalid with the secret that it is bound to', async () => {
    await plane.create('secrets', { metadata: { name: 'bound' } });
    const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: 'bound' };
    const token = await tokenOf({ spec: { boundObjectRef } });
    const identity = await plane.core.authenticate(token);
    expect(identity).toBeDefined();
    await plane.remove('secrets', 'bound');
    expect(identity?.signal.aborted).toBe(true);
    await plane.create('secrets', { metadata: { name: 'bound' } });
    expect(await plane.core.authenticate(token)).toBeUndefined();
  });
});

describe('a token review', () => {
  it('returns the user of a token', async () => {
    const token = await tokenOf();
    const { status } = await review({ token });
    expect(status).toMatchObject({
      authenticated: true,
      audiences: ['installation/plane'],
      user: { username: 'system:serviceaccount:default:robot' },
    });
  });

  it('checks the requested audiences', async () => {
    const token = await tokenOf({ spec: { audiences: ['vault', 'bank'] } });
    expect((await review({ token, audiences: ['bank', 'shop'] })).status).toMatchObject({ audiences: ['bank'] });
    expect((await review({ token, audiences: ['shop'] })).status).toEqual({
      user: {},
      error: '[invalid bearer token, token audiences ["vault" "bank"] is invalid for the target audiences ["shop"]]',
    });
    expect((await review({ token })).status).not.toHaveProperty('authenticated');
  });

  it('reports why a token is no longer valid', async () => {
    const error = async (token: string) => textAt((await review({ token })).status, 'error');
    const token = await tokenOf();
    expect(await error('nonsense')).toBe('invalid bearer token');
    plane.clock.advance(3_600_000);
    expect(await error(token)).toBe('[invalid bearer token, service account token has expired]');
    const second = await tokenOf();
    await plane.remove('serviceaccounts', 'robot');
    expect(await error(second)).toBe('[invalid bearer token, serviceaccounts "robot" not found]');
  });

  it('requires a token', async () => {
    expect((await expectStatusError(review({}))).status.message).toBe(
      'token is required for TokenReview in authentication',
    );
  });
});

describe('a token secret', () => {
  const type = 'kubernetes.io/service-account-token';
  const secret = (account: string) => ({
    metadata: { name: 'forever', annotations: { 'kubernetes.io/service-account.name': account } },
    type,
  });
  const filled = () =>
    eventually(() => valueAt(plane.peek('secrets', 'forever') as JsonValue, 'data', 'token') as string);

  it('is filled with a token that is valid until the secret is deleted', async () => {
    await plane.create('secrets', secret('robot'));
    const token = Buffer.from(await filled(), 'base64').toString();
    expect(claimsOf(token)).not.toHaveProperty('exp');
    plane.clock.advance(10 * 365 * 86_400_000);
    expect(await plane.core.authenticate(token)).toMatchObject({
      user: { name: 'system:serviceaccount:default:robot' },
    });
    const found = plane.peek('secrets', 'forever');
    expect(found?.metadata.annotations).toMatchObject({
      'kubernetes.io/service-account.uid': plane.peek('serviceaccounts', 'robot')?.metadata.uid,
    });
    expect(found?.data).toMatchObject({ namespace: Buffer.from('default').toString('base64') });
    await plane.remove('secrets', 'forever');
    expect(await plane.core.authenticate(token)).toBeUndefined();
  });

  it('is deleted with its account, and at once if there is none', async () => {
    await plane.create('secrets', secret('robot'));
    await filled();
    await plane.remove('serviceaccounts', 'robot');
    await eventually(() => plane.peek('secrets', 'forever') === undefined);
    await plane.create('secrets', secret('nobody'));
    await eventually(() => plane.peek('secrets', 'forever') === undefined);
  });

  it('gets a new token within the hour after its key was retired', async () => {
    let retired = '';
    const keys = testTokenKeys();
    const { store, clock } = plane;
    await plane.close();
    const verify = async (token: string) => (token === retired ? undefined : await keys.verify(token));
    plane = await openCoreTestEnv({ store, clock, keys: { ...keys, verify } });
    await plane.create('secrets', secret('robot'));
    const before = await filled();
    retired = Buffer.from(before, 'base64').toString();
    plane.clock.advance(3_600_000);
    await eventually(() => valueAt(plane.peek('secrets', 'forever') as JsonValue, 'data', 'token') !== before);
  });

  it('gets a new token if the keys have changed', async () => {
    const { store, clock } = plane;
    await plane.create('secrets', secret('robot'));
    const before = await filled();
    await plane.close();
    plane = await openCoreTestEnv({ store, clock });
    expect(valueAt(plane.peek('secrets', 'forever') as JsonValue, 'data', 'token')).not.toBe(before);
  });
});
