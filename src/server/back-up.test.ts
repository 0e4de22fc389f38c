import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUp } from './back-up.ts';
import { restore } from './restore.ts';
import { ServerBench } from './server.fixture.ts';

let bench: ServerBench;
beforeEach(async () => {
  bench = await ServerBench.open();
});
afterEach(() => bench.close());

describe('backup and restore', () => {
  it('copy everything from a running server, and the old access key works with the copy', async () => {
    const server = await bench.start();
    await bench.make(server, 'users', 'anna');
    const objects = await bench.objects(server);
    const key = await bench.adminKey();
    const backup = join(bench.root, 'all.backup');
    expect(await backUp(backup, bench.dataDir)).toContain('The backup does not contain the seal key');
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    await expect(backUp(backup, bench.dataDir)).rejects.toThrow('already exists');
    expect((await readdir(bench.root)).sort()).toEqual(['all.backup', 'data']);
    await bench.stop(server);

    await expect(restore(backup, bench.dataDir)).rejects.toThrow('is not empty');
    const sealKey = bench.file('seal.key');
    bench.dataDir = join(bench.root, 'restored');
    expect(await restore(backup, bench.dataDir, sealKey)).toContain(
      `The seal key was copied to ${bench.file('seal.key')}`,
    );
    await writeFile(bench.file('admin.key'), `${key}\n`, { mode: 0o600 });
    expect(await bench.objects(await bench.start())).toEqual(objects);
  });

  it('work without a running server, and print the remaining steps', async () => {
    await bench.stop(await bench.start());
    const backup = join(bench.root, 'all.backup');
    await backUp(backup, bench.dataDir);
    const target = join(bench.root, 'restored');
    expect(await restore(backup, target)).toContain(`Copy it to ${join(target, 'seal.key')} (mode 0600)`);
    expect(await readdir(target)).toEqual(['store']);
  });

  it('reject a wrong seal key and an invalid file, and leave nothing behind', async () => {
    await bench.stop(await bench.start());
    const backup = join(bench.root, 'all.backup');
    await backUp(backup, bench.dataDir);
    const other = join(bench.root, 'other.key');
    await writeFile(other, `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    const target = join(bench.root, 'restored');
    await expect(restore(backup, target, other)).rejects.toThrow('is not the seal key of this store');
    expect(await readdir(target)).toEqual([]);
    await expect(restore(other, target)).rejects.toThrow('this is not a Flotilla backup');
    await expect(restore(join(bench.root, 'none'), target)).rejects.toThrow('not found');
    expect(await readdir(target)).toEqual([]);
    await expect(backUp(join(bench.root, 'x'), join(bench.root, 'no'))).rejects.toThrow('nothing to back up');
  });

  it('fail with a clear message if the server is not running', async () => {
    await bench.stop(await bench.start({ store: 'memory' }));
    await expect(backUp(join(bench.root, 'x'), bench.dataDir)).rejects.toThrow(
      /no server is running at https:.*ECONNREFUSED/,
    );
  });
});
