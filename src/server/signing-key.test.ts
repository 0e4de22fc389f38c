import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureSigningKeys } from './signing-key.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signing-'));
  path = join(directory, 'signing.key');
});
afterEach(() => rm(directory, { recursive: true }));

describe('ensureSigningKeys', () => {
  it('makes a key once, in a file of mode 0600, and gives out its public part alone', async () => {
    const first = await ensureSigningKeys(path);
    const second = await ensureSigningKeys(path);
    expect(second.current.kid).toBe(first.current.kid);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toContain('"d"');
    expect(JSON.stringify(first.publicKeys)).not.toContain('"d"');
  });

  it('signs what its public keys verify', async () => {
    const { current, publicKeys } = await ensureSigningKeys(path);
    const token = await new SignJWT({ a: 1 })
      .setProtectedHeader({ alg: 'ES256', kid: current.kid })
      .sign(current.privateKey);
    const verified = await jwtVerify(token, createLocalJWKSet({ keys: [...publicKeys.keys] }));
    expect(verified.payload.a).toBe(1);
  });

  it.each(['', '{}', '{"keys":[]}', '{"keys":[{"kid":"x","kty":"EC"}]}'])('refuses the content %j', async (content) => {
    await writeFile(path, content);
    await expect(ensureSigningKeys(path)).rejects.toThrow(path);
  });
});
