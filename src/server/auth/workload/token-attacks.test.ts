import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { groupPath, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';
import { TestIssuer, type TokenVariation } from './workload-issuer.fixture.ts';

let bench: ServerTestEnv;
let issuer: TestIssuer;
let server: RunningServer;
let clock: ManualClock;

const rule = {
  name: 'shop',
  when: 'claims.repository == "acme/shop"',
  user: 'ci',
  scope: { projects: [{ project: 'default' }] },
};

beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(Date.now());
  issuer = await TestIssuer.start(() => clock.now());
});
afterEach(async () => {
  await bench.close();
  await issuer.close();
});

async function start(more: JsonObject = {}): Promise<void> {
  const entry = { name: 'github', issuer: issuer.url, audiences: ['https://flotilla.example.com'], rules: [rule] };
  server = await bench.start(await bench.settings({ auth: { workloadIdentity: [{ ...entry, ...more }] } }), clock);
  await bench.createObject(server, 'users', 'ci');
}

/** Presents a token. Returns the description of the error; '' if the token was exchanged. */
async function present(token: string): Promise<string> {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  };
  const answer = await bench.send(server, '/auth/token', {
    method: 'POST',
    token: '',
    type: 'application/x-www-form-urlencoded',
    raw: new URLSearchParams(form).toString(),
  });
  const description = textAt(answer.json, 'error_description');
  expect(description === '', answer.text).toBe(answer.code === 200);
  for (const part of token.split('.')) if (part.length > 8) expect(answer.text).not.toContain(part);
  return description;
}

const presentSigned = async (variation: TokenVariation = {}) => present(await issuer.sign(variation));

const encoded = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

async function expectNoKeys(): Promise<void> {
  const names = await bench.names(server, 'accesskeys');
  expect(names.filter((name) => name.startsWith('workload-'))).toEqual([]);
}

describe('the token endpoint rejects', () => {
  it('tokens without a signature, and tokens that are signed with the public key as a shared secret', async () => {
    await start();
    const claims = issuer.claims();
    for (const alg of ['none', 'None', 'NONE', '']) {
      expect(await present(`${encoded({ alg, kid: 'first' })}.${encoded(claims)}.`)).toContain('signature algorithm');
    }
    const [key] = issuer.keys;
    const publicKey = await importJWK({ ...key }, 'RS256', { extractable: true });
    for (const secret of [await exportSPKI(publicKey as CryptoKey), JSON.stringify(key), key?.n ?? '']) {
      const signed = `${encoded({ alg: 'HS256', kid: 'first' })}.${encoded(claims)}`;
      const signature = createHmac('sha256', secret).update(signed).digest('base64url');
      expect(await present(`${signed}.${signature}`)).toContain('signature algorithm');
    }
    await expectNoKeys();
  });

  it('tokens whose signature or claims were changed', async () => {
    await start();
    const [header = '', , signature = ''] = (await issuer.sign({ claims: { repository: 'evil/shop' } })).split('.');
    const forged = `${header}.${encoded(issuer.claims())}.${signature}`;
    expect(await present(forged)).toBe('the signature of the token is not valid');
    await expectNoKeys();
  });

  it('tokens of another issuer, also if that issuer claims to be the trusted one or serves its keys in the token', async () => {
    await start();
    const foreign = await TestIssuer.start(() => clock.now());
    try {
      expect(await present(await foreign.sign())).toContain('(claim iss)');
      expect(await present(await foreign.sign({ claims: { iss: issuer.url } }))).toContain('signature');
      const [jwk] = foreign.keys;
      const header = { jwk: { ...jwk }, jku: `${foreign.url}/keys` } as JsonObject;
      expect(await present(await foreign.sign({ claims: { iss: issuer.url }, header }))).toContain('signature');
      expect(await present(await foreign.sign({ claims: { iss: `${issuer.url}/` } }))).toContain('(claim iss)');
      expect(foreign.keyRequests).toBe(0);
    } finally {
      await foreign.close();
    }
    await expectNoKeys();
  });

  const claims: readonly [string, TokenVariation, string][] = [
    ['for another audience', { claims: { aud: 'https://elsewhere.example.com' } }, '(claim aud)'],
    ['without an audience', { omit: ['aud'] }, '(claim aud)'],
    ['with a similar audience', { claims: { aud: ['https://flotilla.example.com/'] } }, '(claim aud)'],
    ['without an expiry', { omit: ['exp'] }, '(claim exp)'],
    ['without a time of issue', { omit: ['iat'] }, '(claim iat)'],
    ['without a subject', { omit: ['sub'] }, '(claim sub)'],
    ['with an empty subject', { claims: { sub: '' } }, '(claim sub)'],
    ['with a subject that is not a text', { claims: { sub: ['a'] } }, '(claim sub)'],
    ['without an issuer', { omit: ['iss'] }, '(claim iss)'],
    ['without a key ID', { header: { kid: '' } }, '(header kid)'],
    ['with an unknown key ID', { header: { kid: '../../first' } }, 'no key with the ID'],
  ];
  it('tokens whose claims or header do not identify an issuer, a key, a subject, a time and this server', async () => {
    await start();
    for (const [what, variation, text] of claims) expect(await presentSigned(variation), what).toContain(text);
    await expectNoKeys();
  });

  it('tokens that have expired, are not valid yet, or are older than a day, with a minute of tolerance', async () => {
    await start();
    const now = Math.floor(clock.now() / 1000);
    const times: readonly [JsonObject, string][] = [
      [{ iat: now - 400, exp: now - 61 }, '(claim exp)'],
      [{ iat: now - 400, exp: now - 55 }, ''],
      [{ nbf: now + 65 }, '(claim nbf)'],
      [{ nbf: now + 55 }, ''],
      [{ iat: now + 65 }, '(claim iat)'],
      [{ iat: now + 55 }, ''],
      [{ iat: now - 26 * 3600, nbf: now - 26 * 3600, exp: now + 3600 }, 'older than 25 hours'],
      [{ exp: 'never' }, '(claim exp)'],
    ];
    for (const [changed, text] of times) {
      const found = await presentSigned({ claims: changed }).catch((error: unknown) => String(error));
      if (text === '') expect(found, JSON.stringify(changed)).toBe('');
      else expect(found, JSON.stringify(changed)).toContain(text);
    }
  });

  it('texts that are not tokens, and tokens that are too long', async () => {
    await start();
    for (const token of ['a', 'a.b', 'a.b.c', 'a.b.c.d.e', `${encoded('[]')}.${encoded('[]')}.`]) {
      expect(await present(token)).toContain('not a signed JSON Web Token');
    }
    expect(await presentSigned({ claims: { padding: 'x'.repeat(13_000) } })).toContain('longer than 16384 characters');
    await expectNoKeys();
  });

  it('tokens with claims that make the rules expensive', async () => {
    const when = 'claims.list.all(a, claims.list.all(b, claims.list.all(c, a + b + c != "")))';
    await start({ rules: [{ ...rule, name: 'expensive', when }, rule] });
    const list = Array.from({ length: 1_500 }, (_, index) => `v${index}`);
    const description = await presentSigned({ claims: { list } });
    expect(description).toContain('no rule of the issuer github matches');
    expect(await bench.read('audit.log')).toContain('actual cost limit exceeded');
    await expectNoKeys();
  });

  it('tokens with thousands of claims without repeating all of them', async () => {
    await start();
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`c${index}`, 1]));
    const description = await presentSigned({ claims: { ...many, repository: 'evil/shop' } });
    expect(description).toContain('and 859 more');
    expect(description.length).toBeLessThan(1_000);
  });

  it('claims of another type than the rule expects', async () => {
    await start();
    for (const repository of [['acme/shop'], { name: 'acme/shop' }, true, null]) {
      expect(await presentSigned({ claims: { repository } })).toContain('no rule');
    }
    await expectNoKeys();
  });
});

describe('the keys of an issuer', () => {
  it('are loaded again for a token with a new key, at most every 30 seconds', async () => {
    await start();
    expect(await presentSigned()).toBe('');
    const old = await issuer.sign();
    await issuer.rotate('second');
    expect(await presentSigned()).toContain('no key with the ID');
    expect(issuer.keyRequests).toBe(1);
    clock.advance(31_000);
    expect(await presentSigned()).toBe('');
    expect(issuer.keyRequests).toBe(2);
    expect(await present(old)).toContain('no key with the ID');
    for (let count = 0; count < 5; count++) await presentSigned({ header: { kid: `unknown-${count}` } });
    expect(issuer.keyRequests).toBe(2);
  });

  it('are used with the key ID of the token only, also if the issuer reuses an ID', async () => {
    await start();
    const old = await issuer.sign();
    await issuer.rotate('first');
    expect(await present(old)).toBe('the signature of the token is not valid');
  });

  it('are not used if they are symmetric, for encryption, or without an ID', async () => {
    const [key] = issuer.keys;
    const secret = Buffer.from('a secret that is long enough for HS256').toString('base64url');
    issuer.keys = [
      { kty: 'oct', kid: 'first', k: secret },
      { ...key, use: 'enc' },
      Object.fromEntries(Object.entries({ ...key }).filter(([name]) => name !== 'kid')),
    ];
    await start();
    expect(await presentSigned()).toContain('keys of the issuer cannot be loaded');
  });

  it('may be elliptic curves or Ed25519', async () => {
    await start();
    for (const alg of ['ES256', 'EdDSA']) {
      const { publicKey, privateKey } = await generateKeyPair(alg);
      issuer.keys = [{ ...(await exportJWK(publicKey)), kid: alg, alg }];
      clock.advance(31_000);
      const signed = await new SignJWT(issuer.claims()).setProtectedHeader({ alg, kid: alg }).sign(privateKey);
      expect(await present(signed), alg).toBe('');
    }
  });

  it('stay in use while the issuer does not respond, for an hour', async () => {
    await start();
    expect(await presentSigned()).toBe('');
    issuer.respondWithKeys = (response) => response.writeHead(500).end();
    clock.advance(20 * 60_000);
    expect(await presentSigned()).toBe('');
    clock.advance(41 * 60_000);
    expect(await presentSigned()).toContain('try again later');
  });

  it('come from no other address than the configured ones: redirects and foreign discovery documents are refused', async () => {
    await start();
    const elsewhere = await TestIssuer.start(() => clock.now());
    try {
      issuer.respondWithKeys = (response) => response.writeHead(302, { location: `${elsewhere.url}/keys` }).end();
      expect(await presentSigned()).toContain('cannot be loaded');
      issuer.respondWithKeys = undefined;
      for (const discovery of [
        { issuer: elsewhere.url },
        { jwks_uri: 'http://169.254.169.254/latest/meta-data' },
        { jwks_uri: 'file:///etc/passwd' },
        { jwks_uri: 7 },
      ]) {
        issuer.discovery = discovery;
        clock.advance(31_000);
        expect(await presentSigned(), JSON.stringify(discovery)).toContain('cannot be loaded');
      }
      expect(elsewhere.keyRequests).toBe(0);
    } finally {
      await elsewhere.close();
    }
  });

  it('are limited in size, and failures are not repeated within 30 seconds', async () => {
    await start();
    issuer.respondWithKeys = (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    };
    expect(await presentSigned()).toContain('cannot be loaded');
    expect(await presentSigned()).toContain('cannot be loaded');
    expect(issuer.keyRequests).toBe(1);
  });

  it('may be in a file, for issuers that the server cannot reach', async () => {
    const jwksFile = join(bench.root, 'keys.json');
    await writeFile(jwksFile, JSON.stringify({ keys: issuer.keys }));
    await start({ jwksFile });
    expect(await presentSigned()).toBe('');
    await issuer.rotate('second');
    await writeFile(jwksFile, JSON.stringify({ keys: issuer.keys }));
    clock.advance(31_000);
    expect(await presentSigned()).toBe('');
    expect(issuer.keyRequests).toBe(0);
  });
});

describe('a source that sends many wrong tokens', () => {
  it('has to wait, and its further attempts are not audited', async () => {
    await start();
    let description = '';
    for (let count = 0; count < 60 && !description.includes('too many'); count++)
      description = await present(`${encoded({ alg: 'none' })}.${encoded({ count })}.`);
    expect(description).toContain('too many');
    const before = (await bench.read('audit.log')).length;
    expect(await present('a.b.c')).toContain('too many');
    expect((await bench.read('audit.log')).length).toBe(before);
    expect((await bench.send(server, `${groupPath}/users`)).code).toBe(200);
  });
});
