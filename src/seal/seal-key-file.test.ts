import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSealKeyFile, readSealKeyFile, writeSealKeyFile } from './seal-key-file.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'seal-'));
  path = join(directory, 'seal.key');
});
afterEach(() => rm(directory, { recursive: true }));

describe('the seal key file', () => {
  it('the file is created with 32 random bytes and mode 0600, and can be read', async () => {
    const key = await createSealKeyFile(path);
    expect(key.byteLength).toBe(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readSealKeyFile(path)).toEqual([key]);
    expect(await readFile(path, 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
  });

  it('a file may contain several keys, one per line', async () => {
    const first = await createSealKeyFile(path);
    const second = new Uint8Array(32).fill(9);
    await writeSealKeyFile(path, [first, second]);
    expect(await readSealKeyFile(path)).toEqual([first, Buffer.from(second)]);
    await writeSealKeyFile(
      path,
      Array.from({ length: 17 }, () => second),
    );
    await expect(readSealKeyFile(path)).rejects.toThrow(/contains 17 seal keys; at most 16 are allowed/);
  });

  it('reading a missing file returns undefined', async () => {
    expect(await readSealKeyFile(path)).toBeUndefined();
  });

  it.each([0o640, 0o604, 0o660, 0o644])('a file with mode %o is rejected', async (mode) => {
    await createSealKeyFile(path);
    await chmod(path, mode);
    await expect(readSealKeyFile(path)).rejects.toThrow(/can be read by others.*chmod 600/);
  });

  it.runIf(process.getuid?.() === 0)('a file of another owner may be readable for its group', async () => {
    const key = await createSealKeyFile(path);
    await chown(path, 65_534, 0);
    await chmod(path, 0o440);
    expect(await readSealKeyFile(path)).toEqual([key]);
    for (const mode of [0o460, 0o444]) {
      await chmod(path, mode);
      await expect(readSealKeyFile(path)).rejects.toThrow(/can be read by others/);
    }
  });

  it.each(['', 'short', `${'A'.repeat(44)}\n`, `${'A'.repeat(43)}=\nmore`, `${'A'.repeat(42)}B=`])(
    'is refused with the content %j, which the line does not repeat',
    async (content) => {
      await writeFile(path, content, { mode: 0o600 });
      const error: unknown = await readSealKeyFile(path).catch((caught: unknown) => caught);
      expect(String(error)).toMatch(/must be a seal key/);
      expect(String(error)).not.toContain('AAAA');
    },
  );

  it('a directory is rejected with a clear error', async () => {
    await expect(readSealKeyFile(directory)).rejects.toThrow(/cannot be read \(EISDIR\)|can be read by others/);
  });
});
