import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DirectTokenClaims, directTokenAudience, signDirectToken, type TokenSigner } from './direct-token.ts';
import { maxDirectTokenLength, verifyDirectToken } from './verify-direct-token.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const seconds = now / 1000;
const claims: DirectTokenClaims = {
  issuer: 'this-installation',
  subject: 'anna',
  groups: ['platform:user:anna', 'system:authenticated'],
  scopes: [{ projects: [{ project: 'blue' }] }, { clusters: [{ cluster: '*' }] }],
  accessKey: { name: 'nightly', uid: 'u-1', mark: 'm-1' },
  issuedAt: seconds,
  expiresAt: seconds + 60,
  id: 'j-1',
};

let signer: TokenSigner;
let keys: JSONWebKeySet;

async function makeSigner(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
  return { signer: { kid, privateKey }, jwk };
}

beforeAll(async () => {
  const created = await makeSigner('one');
  signer = created.signer;
  keys = { keys: [created.jwk] };
});

const verify = (token: string, changes: Partial<Parameters<typeof verifyDirectToken>[1]> = {}) =>
  verifyDirectToken(token, { keys, issuer: 'this-installation', now, ...changes });

/** Returns a token with a valid signature of the installation. `change` modifies the token before it is signed. */
function modifiedToken(change: (jwt: SignJWT) => SignJWT, payload: Record<string, unknown> = {}, header: object = {}) {
  const { groups, scopes, accessKey } = claims;
  const jwt = new SignJWT({ groups, scopes, accessKey, ...payload })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'JWT', ...header })
    .setIssuer(claims.issuer)
    .setAudience(directTokenAudience)
    .setSubject(claims.subject)
    .setIssuedAt(claims.issuedAt)
    .setExpirationTime(claims.expiresAt)
    .setJti(claims.id);
  return change(jwt).sign(signer.privateKey);
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payloadOf = (token: string) => token.split('.')[1] ?? '';

describe('direct-endpoint tokens (completions §6)', () => {
  it('a token returns the claims that were signed', async () => {
    expect(await verify(await signDirectToken(signer, claims))).toEqual({ claims });
  });

  it('any scope, group and name is preserved', async () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    const scope = fc.record({ projects: fc.array(fc.record({ project: text })) });
    await fc.assert(
      fc.asyncProperty(text, fc.array(text), fc.array(scope), text, async (subject, groups, scopes, name) => {
        const signed = { ...claims, subject, groups, scopes, accessKey: { name, uid: 'u', mark: 'm' } };
        expect(await verify(await signDirectToken(signer, signed))).toEqual({ claims: signed });
      }),
      { numRuns: 25 },
    );
  });

  it('a token expires to the second, plus the requested tolerance', async () => {
    const token = await signDirectToken(signer, claims);
    expect(await verify(token, { now: now + 59_999 })).toEqual({ claims });
    expect(await verify(token, { now: now + 60_000 })).toEqual({ refusal: 'expired' });
    expect(await verify(token, { now: now + 60_000, toleranceSeconds: 5 })).toEqual({ claims });
    expect(await verify(token, { now: now + 65_000, toleranceSeconds: 5 })).toEqual({ refusal: 'expired' });
  });

  it('a token with another audience, issuer or claim type is rejected', async () => {
    expect(await verify(await modifiedToken((jwt) => jwt.setAudience('virtual-cluster')))).toEqual({
      refusal: 'invalid',
    });
    expect(await verify(await modifiedToken((jwt) => jwt.setIssuer('another')))).toEqual({ refusal: 'invalid' });
    expect(await verify(await signDirectToken(signer, claims), { issuer: 'another' })).toEqual({ refusal: 'invalid' });
    for (const payload of [{ groups: 'all' }, { scopes: {} }, { scopes: [1] }, { accessKey: 'k' }, { accessKey: {} }]) {
      expect(await verify(await modifiedToken((jwt) => jwt, payload)), JSON.stringify(payload)).toEqual({
        refusal: 'invalid',
      });
    }
    expect(await verify(await modifiedToken((jwt) => jwt.setSubject('')))).toEqual({ refusal: 'invalid' });
  });

  it.each(['sub', 'iat', 'exp', 'jti', 'iss', 'aud'])('a token without %s is rejected', async (claim) => {
    expect(await verify(await modifiedToken((jwt) => jwt, {}))).toHaveProperty('claims');
    const whole = JSON.parse(Buffer.from(payloadOf(await signDirectToken(signer, claims)), 'base64url').toString());
    delete whole[claim];
    const token = await new SignJWT(whole).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(signer.privateKey);
    expect(await verify(token)).toEqual({ refusal: 'invalid' });
  });

  it('a token must name its key; an unknown key is reported separately, since a newer one may exist', async () => {
    const other = await makeSigner('two');
    expect(await verify(await signDirectToken(other.signer, claims))).toEqual({ refusal: 'unknown-key' });
    const both = { keys: [other.jwk, ...keys.keys] };
    expect(await verify(await signDirectToken(other.signer, claims), { keys: both })).toEqual({ claims });
    expect(await verify(await signDirectToken(signer, claims), { keys: both })).toEqual({ claims });
    expect(await verify(await modifiedToken((jwt) => jwt, {}, { kid: undefined }))).toEqual({ refusal: 'invalid' });
    const pretender = await signDirectToken({ ...other.signer, kid: 'one' }, claims);
    expect(await verify(pretender)).toEqual({ refusal: 'invalid' });
  });

  it('only ES256 signatures are accepted: none, and HS256 over the public key, are rejected', async () => {
    const token = await signDirectToken(signer, claims);
    const unsigned = `${encoded({ alg: 'none', kid: 'one' })}.${payloadOf(token)}.`;
    expect(await verify(unsigned)).toEqual({ refusal: 'invalid' });
    for (const secret of [JSON.stringify(keys.keys[0]), String(keys.keys[0]?.x)]) {
      const confused = await new SignJWT(JSON.parse(Buffer.from(payloadOf(token), 'base64url').toString()))
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .sign(new TextEncoder().encode(secret));
      expect(await verify(confused)).toEqual({ refusal: 'invalid' });
    }
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreign = await new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(rsa.privateKey);
    expect(await verify(foreign)).toEqual({ refusal: 'invalid' });
  });

  it('a token with any one character changed is rejected', async () => {
    const token = await signDirectToken(signer, claims);
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '7', '_', '.'), async (at, letter) => {
        fc.pre(token[at] !== letter);
        const changed = token.slice(0, at) + letter + token.slice(at + 1);
        // Skip a change of the last character of the signature that decodes to the same bytes: this character contains
        // padding bits.
        fc.pre(at !== token.length - 1 || signatureOf(changed) !== signatureOf(token));
        expect((await verify(changed)).claims).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it.each(['', '.', '..', 'a.b.c', 'flk_0123456789', 'eyJ.eyJ.', 'x'.repeat(maxDirectTokenLength + 1)])(
    'text that is not a token is rejected: %#',
    async (text) => {
      expect(await verify(text)).toEqual({ refusal: 'invalid' });
    },
  );
});

function signatureOf(token: string): string {
  return Buffer.from(token.split('.')[2] ?? '', 'base64url').toString('hex');
}
