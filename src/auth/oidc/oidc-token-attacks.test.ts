import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { type OpenConnector, openConnector } from './open-connector.ts';

const redirectUri = 'https://flotilla.test/auth/oidc/company/callback';
const never = new AbortController().signal;
const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const publicJwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };

let server: Server;
let issuer: string;
let connector: OpenConnector;
/** The responses of the provider, by path. Tests replace these responses. */
const documents = new Map<string, object>();

beforeAll(async () => {
  server = createServer((request, response) => {
    const found = documents.get((request.url ?? '').split('?')[0] ?? '');
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

beforeEach(async () => {
  documents.clear();
  discover({});
  documents.set('/keys', { keys: [publicJwk] });
  await connector?.close();
  connector = openConnector({
    settings: {
      name: 'company',
      displayName: 'Company',
      issuer,
      clientId: 'flotilla',
      scopes: ['openid'],
      claims: { user: 'preferred_username', email: 'email', groups: 'groups' },
      allowedGroups: [],
      allowedDomains: [],
      groupsToTeams: {},
      adminGroups: [],
      createUsers: true,
      refreshSeconds: 300,
      unavailableSeconds: 3600,
    },
    clock: systemClock,
    log: silentLog,
  });
});
afterAll(() => connector.close());

function discover(changes: object): void {
  documents.set('/.well-known/openid-configuration', {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    ...changes,
  });
}

const now = () => Math.floor(Date.now() / 1000);

/** Completes a sign-in for which the provider sends the token that `sign` returns. */
async function finish(claims: JWTPayload, sign: (claims: JWTPayload) => Promise<string> | string = signed) {
  const { pending } = await connector.start(redirectUri, never);
  const payload = {
    iss: issuer,
    aud: 'flotilla',
    sub: 'anna',
    preferred_username: 'anna',
    nonce: pending.nonce,
    iat: now(),
    exp: now() + 300,
    ...claims,
  };
  documents.set('/token', { access_token: 'x', token_type: 'bearer', id_token: await sign(payload) });
  const callback = new URL(`${redirectUri}?code=c&state=${pending.state}`);
  return await connector.finish(pending, callback, never);
}

function signed(claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
}

describe('a failed refresh', () => {
  const refresh = () => connector.refresh({ subject: 'anna', refreshToken: 'old' }, never);

  it('may have used the token if the provider replaced it and then fails', async () => {
    discover({ userinfo_endpoint: 'http://127.0.0.1:1/userinfo' });
    documents.set('/token', { access_token: 'x', token_type: 'bearer', refresh_token: 'new' });
    await expect(refresh()).rejects.toMatchObject({ isOutcomeUnknown: true });
  });

  it('has not used the token if there is no connection to the provider', async () => {
    discover({ token_endpoint: 'http://127.0.0.1:1/token' });
    await expect(refresh()).rejects.toMatchObject({ reason: 'Unavailable', isOutcomeUnknown: false });
  });
});

describe('an ID token', () => {
  it('is accepted with a signature of the provider, and within a minute of clock skew', async () => {
    await expect(finish({})).resolves.toMatchObject({ identity: { subject: 'anna' } });
    await expect(finish({ exp: now() - 30, iat: now() - 300 })).resolves.toBeDefined();
    await expect(finish({ iat: now() + 30, nbf: now() + 30 })).resolves.toBeDefined();
    await expect(finish({ aud: ['flotilla', 'other'], azp: 'flotilla' })).resolves.toBeDefined();
  });

  it.each<[string, (time: number) => JWTPayload]>([
    ['of another issuer', () => ({ iss: 'https://attacker.test' })],
    ['for another audience', () => ({ aud: 'other' })],
    ['for several audiences without a party', () => ({ aud: ['flotilla', 'other'] })],
    ['for another party', () => ({ aud: ['flotilla', 'other'], azp: 'other' })],
    ['for another party and one audience', () => ({ azp: 'other' })],
    ['that has expired', (time) => ({ exp: time - 120 })],
    ['without an expiry', () => ({ exp: undefined }) as unknown as JWTPayload],
    ['that is not yet valid', (time) => ({ nbf: time + 120 })],
    ['that is issued in the future', (time) => ({ iat: time + 120 })],
    ['with another nonce', () => ({ nonce: 'other' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['without a subject', () => ({ sub: undefined }) as unknown as JWTPayload],
  ])('%s is refused', async (_, claims) => {
    await expect(finish(claims(now()))).rejects.toMatchObject({ name: 'ProviderError', reason: 'Rejected' });
  });

  it('without a signature is refused', async () => {
    await expect(finish({}, (claims) => new UnsecuredJWT(claims).encode())).rejects.toMatchObject({
      reason: 'Rejected',
    });
  });

  it('with a symmetric signature is refused, also one with the public key', async () => {
    const pem = new TextEncoder().encode(await exportSPKI(publicKey));
    const symmetric = (claims: JWTPayload) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(pem);
    await expect(finish({}, symmetric)).rejects.toMatchObject({ reason: 'Rejected' });
  });

  it('with the signature of another key is refused, also if it names the known key or brings its own', async () => {
    const other = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(other.publicKey);
    for (const header of [{ kid: 'one' }, { kid: 'two' }, { jwk }, { jku: 'https://attacker.test/keys' }]) {
      const foreign = (claims: JWTPayload) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(other.privateKey);
      await expect(finish({}, foreign)).rejects.toMatchObject({ reason: 'Rejected' });
    }
  });

  it('that was changed is refused', async () => {
    const changed = async (claims: JWTPayload) => {
      const [header, , signature] = (await signed(claims)).split('.');
      const body = Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url');
      return [header, body, signature].join('.');
    };
    await expect(finish({}, changed)).rejects.toMatchObject({ reason: 'Rejected' });
  });
});

describe('a discovery document', () => {
  it.each([
    ['issuer', 'https://attacker.test'],
    ['jwks_uri', 'http://169.254.169.254/latest/meta-data'],
    ['token_endpoint', 'http://10.0.0.1/token'],
    ['token_endpoint', 'file:///etc/passwd'],
    ['userinfo_endpoint', 'gopher://127.0.0.1/x'],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 'http://login.example.com/authorize'],
    ['end_session_endpoint', 'data:text/html,x'],
    ['authorization_endpoint', undefined],
    ['jwks_uri', ['x']],
  ])('with %s %j is refused', async (name, value) => {
    discover({ [name]: value });
    await expect(connector.start(redirectUri, never)).rejects.toMatchObject({ reason: 'Unavailable' });
  });

  it('cannot lead this server to internal addresses', async () => {
    discover({ token_endpoint: 'https://169.254.169.254/token' });
    await expect(finish({})).rejects.toMatchObject({ reason: 'Unavailable', message: /denied range/ });
  });
});
