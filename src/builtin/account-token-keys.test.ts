import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { openSigningKeys, type SigningKeys } from '../process/signing-keys.ts';
import { serviceAccountTokenKeys } from './account-token-keys.ts';

describe('accountTokenKeys', () => {
  let directory: string;
  let signingKeys: SigningKeys;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'token-keys-'));
    const path = join(directory, 'signing.key');
    signingKeys = await openSigningKeys({ path, clock: new ManualClock(), longestTTL: 3600 });
  });
  afterEach(() => rm(directory, { recursive: true }));

  const open = () => serviceAccountTokenKeys({ signingKeys, installation: 'here' });
  const claims = { iss: 'here/local', sub: 'system:serviceaccount:default:default' };

  it('a signed token verifies, also from the cache', async () => {
    const keys = open();
    const token = await keys.sign(claims);
    expect(await keys.verify(token)).toEqual(claims);
    expect(await keys.verify(token)).toEqual(claims);
    expect(await open().verify(token)).toEqual(claims);
  });

  it('modified tokens, tokens of another key and other text are rejected', async () => {
    const keys = open();
    const token = await keys.sign(claims);
    const [head = '', body = '', signature = ''] = token.split('.');
    const other = Buffer.from(JSON.stringify({ ...claims, iss: 'here/other' })).toString('base64url');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const { privateKey } = signingKeys.current();
    const nameless = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    for (const wrong of [
      '',
      'x',
      'a.b.c',
      `${head}.${other}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}`,
      nameless,
      `${token}${'a'.repeat(20_000)}`,
    ]) {
      expect(await keys.verify(wrong), wrong.slice(0, 40)).toBeUndefined();
    }
  });

  it('older tokens verify after a rotation, but not after a revocation', async () => {
    const keys = open();
    const token = await keys.sign(claims);
    await signingKeys.rotate({ revoke: false });
    expect(await keys.verify(token)).toEqual(claims);
    await signingKeys.rotate({ revoke: true });
    expect(await keys.verify(token)).toBeUndefined();
    expect(await keys.verify(await keys.sign(claims))).toEqual(claims);
  });
});
