import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DirectTokenClaims, signDirectToken } from '../auth/direct-token.ts';
import { verifyDirectToken } from '../auth/verify-direct-token.ts';
import { ManualClock } from '../lib/clock.ts';
import { isKeyOfSet, maxRetiredKeys, readSigningKeyFile, TooManySigningKeysError } from './signing-key-file.ts';
import { openSigningKeys, type SigningKeys } from './signing-keys.ts';

const day = 24 * 3600;
let directory: string;
let path: string;
let clock: ManualClock;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signing-'));
  path = join(directory, 'signing.key');
  clock = new ManualClock();
});
afterEach(() => rm(directory, { recursive: true }));

const open = (longestTTL = 30 * day) => openSigningKeys({ path, clock, longestTTL });
const kids = (keys: SigningKeys) => keys.publicKeys().keys.map(({ kid }) => kid);

function sign(keys: SigningKeys, ttl: number): Promise<string> {
  const issuedAt = Math.floor(clock.now() / 1000);
  const claims: DirectTokenClaims = {
    issuer: 'i',
    subject: 's',
    groups: [],
    scopes: [],
    accessKey: { name: 'k', uid: 'u', mark: 'm' },
    issuedAt,
    expiresAt: issuedAt + ttl,
    id: 'j',
  };
  return signDirectToken(keys.current(), claims);
}

const verify = (keys: SigningKeys, token: string) =>
  verifyDirectToken(token, { keys: keys.publicKeys(), issuer: 'i', now: clock.now() });

describe('the signing key', () => {
  it('the key is created once, in a file of mode 0600, and only its public part is published', async () => {
    const first = await open();
    const second = await open();
    expect(second.current().kid).toBe(first.current().kid);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toContain('"d"');
    const shown = first.publicKeys().keys.map((key) => Object.keys(key).sort());
    expect(shown).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
    expect(await verify(second, await sign(first, 60))).toHaveProperty('claims');
  });

  it.each(['', '{}', '{"keys":[]}', '{"keys":[{"kid":"x","kty":"EC"}]}', '{"keys":[{"kty":"EC"}]}'])(
    'a file with the content %j is rejected and left unchanged',
    async (content) => {
      await writeFile(path, content);
      await expect(open()).rejects.toThrow(path);
      expect(await readFile(path, 'utf8')).toBe(content);
    },
  );
});

describe('signing key rotation', () => {
  it('the old key is published until the last of its tokens has expired (completions §6)', async () => {
    const keys = await open();
    const old = keys.current().kid;
    const long = await sign(keys, 30 * day);
    await keys.rotate({ revoke: false });
    expect(keys.current().kid).not.toBe(old);
    expect(kids(keys)).toEqual([keys.current().kid, old]);
    clock.advance((30 * day - 1) * 1000);
    expect(await verify(keys, long)).toHaveProperty('claims');
    expect(await verify(keys, await sign(keys, 60))).toHaveProperty('claims');
    clock.advance(2000);
    expect(kids(keys)).toEqual([keys.current().kid]);
    expect(await verify(keys, long)).toEqual({ refusal: 'unknown-key' });
  });

  it('a rotation survives a restart, and only the public part of an old key is kept', async () => {
    const keys = await open();
    const token = await sign(keys, day);
    const { kid } = await keys.rotate({ revoke: false });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).match(/"d":/g)).toHaveLength(1);
    expect(await readdir(directory)).toEqual(['signing.key']);
    const again = await open();
    expect(again.current().kid).toBe(kid);
    expect(again.publicKeys()).toEqual(keys.publicKeys());
    expect(await verify(again, token)).toHaveProperty('claims');
    clock.advance(31 * day * 1000);
    await open();
    expect(JSON.parse(await readFile(path, 'utf8')).keys).toHaveLength(1);
  });

  it('a rotation uses the longest lifetime that tokens ever had, even if the setting was lowered', async () => {
    const token = await sign(await open(60 * day), 60 * day);
    const keys = await open(day);
    await keys.rotate({ revoke: false });
    clock.advance(59 * day * 1000);
    expect(await verify(keys, token)).toHaveProperty('claims');
    const raised = await open(90 * day);
    await raised.rotate({ revoke: false });
    const again = await open(day);
    clock.advance(89 * day * 1000);
    expect(kids(again)).toHaveLength(2);
  });

  it('the IDs of removed keys are kept, so that an old copy of the file is recognized', async () => {
    const keys = await open();
    const [first, second] = [keys.current().kid, (await keys.rotate({ revoke: false })).kid];
    const { kid: third } = await keys.rotate({ revoke: true });
    const set = await readSigningKeyFile(path);
    if (set === undefined) throw new Error('there is no key file');
    expect([first, second, third, 'other'].map((kid) => isKeyOfSet(set, kid))).toEqual([true, true, true, false]);
    await open();
    expect(await readSigningKeyFile(path)).toEqual(set);
  });

  it('a revocation invalidates the tokens of all older keys at once', async () => {
    const keys = await open();
    const first = await sign(keys, day);
    await keys.rotate({ revoke: false });
    const second = await sign(keys, day);
    await keys.rotate({ revoke: true });
    for (const token of [first, second]) expect(await verify(keys, token)).toEqual({ refusal: 'unknown-key' });
    expect(kids(await open())).toEqual([keys.current().kid]);
  });

  it('rotations are serialized and limited in number', async () => {
    const keys = await open();
    await Promise.all(Array.from({ length: maxRetiredKeys }, () => keys.rotate({ revoke: false })));
    expect(new Set(kids(keys)).size).toBe(maxRetiredKeys + 1);
    const last = keys.current().kid;
    await expect(keys.rotate({ revoke: false })).rejects.toThrow(TooManySigningKeysError);
    expect(keys.current().kid).toBe(last);
    await keys.rotate({ revoke: true });
    expect(kids(keys)).toHaveLength(1);
  });

  it('a rotation that cannot be written changes nothing', async () => {
    const keys = await open();
    const before = kids(keys);
    await rm(directory, { recursive: true });
    await expect(keys.rotate({ revoke: true })).rejects.toThrow();
    expect(kids(keys)).toEqual(before);
    expect(await verify(keys, await sign(keys, 60))).toHaveProperty('claims');
    directory = await mkdtemp(join(tmpdir(), 'signing-'));
  });
});
