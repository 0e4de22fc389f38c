import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isEmptyDirectory } from '../../process/private-dir.ts';
import { sealerWithKeys } from '../../seal/open-sealer.ts';
import { createSealKeyFile } from '../../seal/seal-key-file.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { type DataDir, dataDirAt, openDataDir } from './data-dir.ts';
import { assertStoreIdentity, readInstallation, recordInstallation } from './installation.ts';
import { loadSealerKeys } from './load-sealer.ts';

let dir: DataDir;
beforeEach(async () => {
  dir = dataDirAt(await mkdtemp(join(tmpdir(), 'installation-')));
});
afterEach(() => rm(dir.path, { recursive: true }));

describe('openDataDir', () => {
  it('creates the directory with private permissions', async () => {
    const made = await openDataDir(join(dir.path, 'a', 'b'));
    expect((await stat(made.path)).mode & 0o777).toBe(0o700);
    expect(await isEmptyDirectory(made.path)).toBe(true);
    expect(await isEmptyDirectory(join(dir.path, 'absent'))).toBe(true);
    expect(await isEmptyDirectory(dir.path)).toBe(false);
  });

  it('rejects an unusable path with a one-line message', async () => {
    await writeFile(join(dir.path, 'file'), '');
    await expect(openDataDir(join(dir.path, 'file'))).rejects.toThrow(/file cannot be used: it is a file/);
    await expect(openDataDir(join(dir.path, 'file', 'x'))).rejects.toThrow(/part of the path is a file/);
  });

  it.runIf(process.platform === 'linux')('rejects a path where nothing can be created', async () => {
    await expect(openDataDir('/proc/flotilla/data')).rejects.toThrow(
      /\/proc\/flotilla\/data cannot be used: cannot create a directory in \/proc$/,
    );
  });
});

describe('installation.json', () => {
  it('records the store of the first start, and another one is rejected', async () => {
    const store = openMemoryStore();
    assertStoreIdentity(dir, await readInstallation(dir), store);
    await recordInstallation(dir, store, 'embedded');
    await recordInstallation(dir, openMemoryStore(), 'embedded');
    assertStoreIdentity(dir, await readInstallation(dir), store);
    expect((await stat(dir.installation)).mode & 0o777).toBe(0o600);
    const installation = await readInstallation(dir);
    expect(installation).toEqual({ store: store.identity });
    expect(() => assertStoreIdentity(dir, installation, openMemoryStore())).toThrow('belongs to another installation');
  });

  it('names the prefix of a store on etcd, and does not exist for a memory store', async () => {
    const store = openMemoryStore();
    await recordInstallation(dir, store, 'memory');
    expect(await readInstallation(dir)).toBeUndefined();
    const etcd = { endpoints: '', prefix: 'p', caFile: undefined, clientCertificate: undefined, user: undefined };
    await recordInstallation(dir, store, etcd);
    expect(await readInstallation(dir)).toEqual({ store: store.identity, etcdPrefix: 'p' });
  });

  it('is rejected without a store identity', async () => {
    await writeFile(dir.installation, '{}');
    await expect(readInstallation(dir)).rejects.toThrow('is damaged');
  });
});

describe('loadSealerKeys', () => {
  it('creates a key for a new store and uses it afterwards', async () => {
    const store = openMemoryStore();
    const sealed = sealerWithKeys(await loadSealerKeys(dir.sealKey, store)).seal('p', 'x');
    expect(sealerWithKeys(await loadSealerKeys(dir.sealKey, store)).open('p', sealed)).toBe('x');
  });

  it('rejects a key that the store was not sealed with', async () => {
    const store = openMemoryStore();
    await loadSealerKeys(dir.sealKey, store);
    const other = join(dir.path, 'other.key');
    await createSealKeyFile(other);
    await expect(loadSealerKeys(other, store)).rejects.toThrow(/other.key is not the seal key of this store/);
  });

  it('creates no new key for a store with sealed values', async () => {
    const store = openMemoryStore();
    await loadSealerKeys(dir.sealKey, store);
    await rm(dir.sealKey);
    await expect(loadSealerKeys(dir.sealKey, store)).rejects.toThrow(/seal key of this store is missing/);
    expect(await readdir(dir.path)).toEqual([]);
  });

  it('removes a key that it has just created if another server was faster', async () => {
    const store = openMemoryStore();
    const dirs = await Promise.all(['a', 'b', 'c'].map((name) => openDataDir(join(dir.path, name))));
    const results = await Promise.allSettled(dirs.map(({ sealKey }) => loadSealerKeys(sealKey, store)));
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost).toHaveLength(2);
    for (const { reason } of lost) {
      expect(String(reason)).toMatch(/another server has just created the seal key of this store: copy seal.key/);
    }
    const files = await Promise.all(dirs.map(({ path }) => readdir(path)));
    expect(files.flat()).toEqual(['seal.key']);
  });

  it('accepts the same key on several servers that start at the same moment', async () => {
    const store = openMemoryStore();
    await createSealKeyFile(dir.sealKey);
    const loaded = await Promise.all(Array.from({ length: 3 }, () => loadSealerKeys(dir.sealKey, store)));
    expect(new Set(loaded.map((keys) => sealerWithKeys(keys).hash('p', 'x'))).size).toBe(1);
  });

  it('reports that it cannot create a key', async () => {
    await expect(loadSealerKeys(join(dir.path, 'no', 'seal.key'), openMemoryStore())).rejects.toThrow(
      /cannot create the seal key .*: there is no such file/,
    );
  });
});
