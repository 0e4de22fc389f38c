import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenConnector, openConnector } from '../../src/auth/oidc/open-connector.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { connectorSettings } from './connector.fixture.ts';
import { HostileProvider, signed, signingKey, unsigned } from './hostile-provider.fixture.ts';

const redirectUri = 'https://flotilla.test/auth/oidc/company/callback';
const never = new AbortController().signal;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

let provider: HostileProvider;
let connector: OpenConnector;

beforeEach(async () => {
  provider = await HostileProvider.start();
  const { issuer, clientId, clientSecretFile } = provider;
  const settings = connectorSettings({ issuer, clientId, clientSecretFile });
  connector = openConnector({ settings, clock: systemClock, log: silentLog });
});
afterEach(async () => {
  await connector.close();
  await provider.close();
});

async function signIn() {
  const { url, pending } = await connector.start(redirectUri, never);
  return await connector.finish(pending, provider.back(url), never);
}

const refused = { name: 'ProviderError', reason: 'Rejected' };

describe('an ID token of a provider', () => {
  it('is accepted if all of it is correct, so that the tests below fail for their reason only', async () => {
    expect((await signIn()).identity).toMatchObject({ subject: '666', username: 'mallory' });
  });

  it.each(['none', 'None', 'NONE', 'nOnE'])('is refused with the algorithm %s', async (alg) => {
    provider.idToken = (claims) => unsigned({ alg, typ: 'JWT' }, claims);
    await expect(signIn()).rejects.toMatchObject(refused);
    provider.idToken = (claims) => unsigned({ alg, kid: provider.key.kid }, claims);
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  it('is refused without a signature', async () => {
    provider.idToken = (claims) => unsigned({ alg: 'RS256', kid: provider.key.kid }, claims);
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  it.each(['HS256', 'HS384', 'HS512'])('is refused if the public key is the secret of %s', async (alg) => {
    const { kid, jwk } = provider.key;
    const publicKey = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const secrets = [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'der' }),
      publicKey.export({ type: 'pkcs1', format: 'pem' }),
      jwk.n ?? '',
      JSON.stringify(jwk),
    ].map((secret) => Buffer.from(secret));
    for (const secret of secrets) {
      provider.idToken = (claims) => new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(secret);
      await expect(signIn()).rejects.toMatchObject(refused);
    }
  });

  it('is refused with HS256 if the provider publishes the secret as a key', async () => {
    const secret = Buffer.alloc(32, 7);
    provider.jwks = [{ kty: 'oct', k: secret.toString('base64url'), kid: 'shared', alg: 'HS256', use: 'sig' }];
    provider.idToken = (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'shared' }).sign(secret);
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  it('is refused with a key that only the token itself contains', async () => {
    const other = await signingKey('attacker', 'ES256');
    const headers = [
      { jwk: other.jwk },
      { jku: `${provider.issuer}/other-keys` },
      { x5u: `${provider.issuer}/certificate` },
      { kid: provider.key.kid },
      { kid: '../../../../dev/null' },
    ];
    for (const header of headers) {
      provider.idToken = (claims) => signed(claims, other, header);
      await expect(signIn(), JSON.stringify(header)).rejects.toMatchObject(refused);
    }
    expect(new Set(provider.requests)).toEqual(new Set(['/.well-known/openid-configuration', '/token', '/jwks']));
  });

  it('is refused with critical extensions', async () => {
    const header = { alg: 'RS256', kid: provider.key.kid, crit: ['unknown'], unknown: true };
    provider.idToken = async (claims) => {
      const [, payload, signature] = (await signed(claims, provider.key)).split('.');
      return [Buffer.from(JSON.stringify(header)).toString('base64url'), payload, signature].join('.');
    };
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  const wrongClaims: readonly (readonly [string, JWTPayload])[] = [
    ['of a foreign issuer', { iss: 'https://login.other.test' }],
    ['of an issuer that looks alike', { iss: 'HTTP://127.0.0.1' }],
    ['for a foreign audience', { aud: 'grafana' }],
    ['for no audience', { aud: [] }],
    ['for this and another client, authorized for the other', { aud: ['flotilla', 'grafana'], azp: 'grafana' }],
    ['for this client, authorized for another', { azp: 'grafana' }],
    ['that has expired', { exp: inSeconds(-120) }],
    ['that is not valid yet', { nbf: inSeconds(120) }],
    ['that was issued in the future', { iat: inSeconds(120) }],
    ['without a subject', { sub: '' }],
    ['with a subject of 256 characters', { sub: 'x'.repeat(256) }],
    ['with the nonce of another sign-in', { nonce: 'other' }],
    ['with an empty nonce', { nonce: '' }],
    ['without a name', { preferred_username: null }],
    ['with a name that contains a line break', { preferred_username: 'mallory\nadmin' }],
  ];
  it.each(wrongClaims)('%s is refused', async (_, claims) => {
    provider.claims = { ...provider.claims, ...claims };
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  it.each(['exp', 'iat', 'sub', 'iss', 'aud', 'nonce'])('is refused without the claim %s', async (name) => {
    provider.idToken = ({ [name]: _, ...claims }) => signed(claims, provider.key);
    await expect(signIn()).rejects.toMatchObject({ name: 'ProviderError' });
  });

  it('is accepted if the clock of the provider is 30 seconds ahead or behind', async () => {
    provider.claims = { ...provider.claims, iat: inSeconds(30), nbf: inSeconds(30), exp: inSeconds(90) };
    await expect(signIn()).resolves.toBeDefined();
    provider.claims = { ...provider.claims, iat: inSeconds(-90), nbf: inSeconds(-90), exp: inSeconds(-30) };
    await expect(signIn()).resolves.toBeDefined();
  });

  it('is refused if there is none, or two of them in one text', async () => {
    provider.idToken = () => '';
    await expect(signIn()).rejects.toMatchObject({ name: 'ProviderError' });
    provider.idToken = async (claims) => `${await signed(claims, provider.key)}.${unsigned({ alg: 'none' }, claims)}`;
    await expect(signIn()).rejects.toMatchObject({ name: 'ProviderError' });
  });
});

describe('a provider that replaces its keys', () => {
  it('can use the new key at once, and the old key no more', async () => {
    await signIn();
    const old = provider.key;
    provider.key = await signingKey();
    provider.jwks = [provider.key.jwk];
    await expect(signIn()).resolves.toBeDefined();
    provider.idToken = (claims) => signed(claims, old);
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  it('cannot use the old key under the name of the new one, nor another kind of key under the same name', async () => {
    const old = provider.key;
    provider.key = await signingKey('new', 'ES256');
    provider.jwks = [provider.key.jwk];
    await expect(signIn()).resolves.toBeDefined();
    provider.idToken = (claims) => signed(claims, old, { kid: 'new' });
    await expect(signIn()).rejects.toMatchObject(refused);
    provider.idToken = (claims) => signed(claims, old, { kid: 'new', alg: 'PS256' }).catch(() => '');
    await expect(signIn()).rejects.toMatchObject({ name: 'ProviderError' });
  });

  it('cannot use a key that it publishes for encryption', async () => {
    const key = await signingKey('encryption');
    provider.jwks = [{ ...key.jwk, use: 'enc' }];
    provider.idToken = (claims) => signed(claims, key);
    await expect(signIn()).rejects.toMatchObject(refused);
  });
});

describe('the groups of a provider', () => {
  const groupsOf = async (groups: unknown, settings: Partial<Parameters<typeof connectorSettings>[0]> = {}) => {
    provider.claims = { ...provider.claims, groups };
    const { issuer, clientId, clientSecretFile } = provider;
    const other = openConnector({
      settings: connectorSettings({ issuer, clientId, clientSecretFile, ...settings }),
      clock: systemClock,
      log: silentLog,
    });
    const { url, pending } = await other.start(redirectUri, never);
    const { identity } = await other.finish(pending, provider.back(url), never);
    await other.close();
    return identity.groups;
  };

  it('may be one text, which is the name of one group', async () => {
    expect(await groupsOf('platform')).toEqual(['platform']);
    expect(await groupsOf('admins,platform admins')).toEqual(['admins,platform admins']);
  });

  it('may not be those with which this server or Kubernetes grant rights', async () => {
    const reserved = ['system:masters', 'System:Masters', ' system:masters', 'system:authenticated', 'platform:admins'];
    expect(await groupsOf([...reserved, 'developers'])).toEqual(['developers']);
  });

  it.each([[7], [{ name: 'admins' }], [true], [[['admins'], { admins: 1 }, null, 7, '', 'a\u0000b']]])(
    'are ignored if they are %j',
    async (groups) => {
      expect(await groupsOf(groups)).toEqual([]);
    },
  );

  it('may be 10,000, and the rules of the connector see all of them', async () => {
    const groups = Array.from({ length: 10_000 }, (_, index) => `group-${index}`);
    expect(await groupsOf(groups, { allowedGroups: ['group-9999'] })).toHaveLength(10_000);
    await expect(groupsOf(groups, { allowedGroups: ['other'] })).rejects.toMatchObject({ reason: 'NotAllowed' });
  });
});
