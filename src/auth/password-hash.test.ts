import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { decoyHash, hashPassword, verifyPassword } from './password-hash.ts';

describe('password hashes', () => {
  it('a hash matches only its password and does not contain it', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).not.toContain('correct');
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('correct horsf', hash)).toBe(false);
    expect(await verifyPassword('correct horse', 'plain text')).toBe(false);
  });

  it('hashes are salted', async () => {
    expect(await hashPassword('same')).not.toBe(await hashPassword('same'));
  });

  it('a password matches in any Unicode normalization form', async () => {
    expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true);
  });
});

describe('the decoy', () => {
  it('the decoy matches no password and costs as much as a current hash', async () => {
    expect(await verifyPassword('', decoyHash)).toBe(false);
    expect(decoyHash.split('$').slice(0, 4)).toEqual((await hashPassword('x')).split('$').slice(0, 4));
    expect(decoyHash).toHaveLength((await hashPassword('x')).length);
  });
});

describe('many hashes at once', () => {
  it('concurrent hashes leave the file I/O threads free', async () => {
    let done = 0;
    const runs = Array.from({ length: 8 }, () => hashPassword('same').then(() => void done++));
    await readFile(new URL(import.meta.url));
    expect(done).toBeLessThan(4);
    await Promise.all(runs);
  });
});
