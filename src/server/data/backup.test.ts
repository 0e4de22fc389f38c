import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { ServerTestEnv } from '../server.fixture.ts';
import { runBackup } from './backup.ts';
import { runRestore } from './restore.ts';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

const noFiles = 'without a server, a backup reads the store in the data directory';

describe('backup and restore', () => {
  it('copy everything from a running server, and the old access key works with the copy', async () => {
    const server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    const objects = await bench.objects(server);
    const key = await bench.adminKey();
    const backup = join(bench.root, 'all.backup');
    expect(await runBackup(backup, bench.dataDir)).toContain('The backup does not contain the seal key');
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    await expect(runBackup(backup, bench.dataDir)).rejects.toThrow('already exists');
    expect((await readdir(bench.root)).sort()).toEqual(['all.backup', 'data']);
    await bench.stop(server);

    await expect(runRestore(backup, bench.dataDir)).rejects.toThrow('is not empty');
    const sealKey = bench.file('seal.key');
    bench.dataDir = join(bench.root, 'restored');
    expect(await runRestore(backup, bench.dataDir, { sealKeyFile: sealKey, trustsKeys: true })).toContain(
      `The seal key was copied to ${bench.file('seal.key')}`,
    );
    await writeFile(bench.file('admin.key'), `${key}\n`, { mode: 0o600 });
    expect(await bench.objects(await bench.start({ store: 'embedded' }))).toEqual(objects);
  });

  itExceptOnEtcd('work without a running server, and print the remaining steps', noFiles, async () => {
    await bench.stop(await bench.start());
    const backup = join(bench.root, 'all.backup');
    await runBackup(backup, bench.dataDir);
    const target = join(bench.root, 'restored');
    expect(await runRestore(backup, target)).toContain(`Copy it to ${join(target, 'seal.key')} (mode 0600)`);
    expect(await readdir(target)).toEqual(['store']);
  });

  itExceptOnEtcd('reject a wrong seal key and an invalid file, and leave nothing behind', noFiles, async () => {
    await bench.stop(await bench.start());
    const backup = join(bench.root, 'all.backup');
    await runBackup(backup, bench.dataDir);
    const other = join(bench.root, 'other.key');
    await writeFile(other, `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    const target = join(bench.root, 'restored');
    await expect(runRestore(backup, target, { sealKeyFile: other })).rejects.toThrow(
      'is not the seal key of this store',
    );
    expect(await readdir(target)).toEqual([]);
    await expect(runRestore(other, target)).rejects.toThrow('this is not a Flotilla backup');
    await expect(runRestore(join(bench.root, 'none'), target)).rejects.toThrow('not found');
    expect(await readdir(target)).toEqual([]);
    await expect(runBackup(join(bench.root, 'x'), join(bench.root, 'no'))).rejects.toThrow('nothing to back up');
  });

  it('fail with a clear message if the server is not running', async () => {
    await bench.stop(await bench.start({ store: 'memory' }));
    await expect(runBackup(join(bench.root, 'x'), bench.dataDir)).rejects.toThrow(
      /no server is running at https:.*ECONNREFUSED/,
    );
  });
});
