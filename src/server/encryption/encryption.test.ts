import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, textAt, textsAt, valueAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeExceptOnEtcd, itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { encryptionPath } from '../../api/encryption/encryption-status.ts';
import { containsSealedText } from '../../seal/open-sealer.ts';
import { dataKeyIdOf } from '../../seal/rows/row-cipher.ts';
import { createSealKeyFile, readSealKeyFile, writeSealKeyFile } from '../../seal/seal-key-file.ts';
import type { DumpRow } from '../../store/store.ts';
import { runBackup } from '../data/backup.ts';
import { runRestore } from '../data/restore.ts';
import { ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { isClearRow } from './is-clear-row.ts';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

const noFiles = 'the test opens the store in the data directory';
const privateText = 'the plans of the northern office';

/** Returns the rows of the store, as they are at rest. */
async function rowsAtRest(): Promise<DumpRow[]> {
  const store = await bench.openStore();
  const rows: DumpRow[] = [];
  for await (const row of store.dump()) rows.push(row);
  await store.close();
  return rows;
}

/** Returns the IDs of the data keys of all rows that may be encrypted; 'clear' for rows in clear. */
async function keysAtRest(): Promise<string[]> {
  const rows = await rowsAtRest();
  const keys = rows.flatMap((row) =>
    row.row !== 'entry' || isClearRow(row.key) ? [] : [dataKeyIdOf(row.value) ?? 'clear'],
  );
  return [...new Set(keys)].sort();
}

/** Returns the slices of the rows that contain a sealed text and whose values as a whole are not encrypted. */
async function sealedTextsInClear(): Promise<string[]> {
  const rows = await rowsAtRest();
  return rows.flatMap((row) => (row.row === 'entry' && containsSealedText(row.value) ? [row.key.slice] : []));
}

async function statusOf(server: RunningServer): Promise<JsonObject> {
  return (await bench.send(server, encryptionPath)).json;
}

async function rotate(server: RunningServer): Promise<JsonObject> {
  const { code, text, json } = await bench.send(server, encryptionPath, { method: 'POST' });
  expect(code, text).toBe(201);
  return json;
}

async function rewritten(server: RunningServer): Promise<JsonObject> {
  await expect.poll(async () => valueAt(await statusOf(server), 'rewrite'), { timeout: 20_000 }).toBeUndefined();
  return await statusOf(server);
}

async function withConfig(text: string): Promise<{ config: string }> {
  const config = join(bench.root, 'config.yaml');
  await writeFile(config, text);
  return { config };
}

const everything = () => withConfig('encryption: {rows: all}');

const createUser = (server: RunningServer, name: string) =>
  bench.createObject(server, 'users', name, { displayName: privateText });

describeExceptOnEtcd('a new installation with encryption.rows: all', () => {
  itExceptOnEtcd('stores no value of an object in clear, and opens its store again', noFiles, async () => {
    const server = await bench.start(await everything());
    await createUser(server, 'anna');
    await bench.stop(server);
    expect(await keysAtRest()).toEqual([expect.stringMatching(/^[\w-]{8}$/)]);
    expect(await keysAtRest()).not.toContain('clear');
    for (const file of await readdir(bench.file('store'))) {
      expect(await readFile(join(bench.file('store'), file), 'latin1'), file).not.toContain('northern office');
    }
    expect(JSON.stringify(await rowsAtRest())).not.toContain('northern office');
    const again = await bench.start();
    expect(await bench.names(again, 'users')).toContain('anna');
    expect(await statusOf(again)).toMatchObject({ rows: 'all', isActive: true });
  });

  itExceptOnEtcd(
    'with encryption.rows: secrets stores other values in clear, until that is changed',
    noFiles,
    async () => {
      const secrets = await withConfig('encryption: {rows: secrets}');
      const first = await bench.start(secrets);
      await createUser(first, 'anna');
      expect(await statusOf(first)).toMatchObject({ rows: 'secrets' });
      await bench.stop(first);
      expect(await keysAtRest()).toEqual(['clear']);

      const second = await bench.start(await withConfig('encryption: {rows: all}'));
      expect(await bench.names(second, 'users')).toContain('anna');
      await rotate(second);
      await rewritten(second);
      await bench.stop(second);
      const [key, ...others] = await keysAtRest();
      expect([key, others]).toEqual([expect.stringMatching(/^[\w-]{8}$/), []]);

      const third = await bench.start(await withConfig('encryption: {rows: secrets}'));
      await rotate(third);
      const { dataKey } = await rewritten(third);
      await bench.stop(third);
      expect(await keysAtRest()).toEqual([dataKey, 'clear'].sort());
    },
  );

  itExceptOnEtcd('backups contain no clear values, and can be restored with the seal key only', noFiles, async () => {
    const server = await bench.start(await everything());
    await createUser(server, 'anna');
    const key = await bench.adminKey();
    const backup = join(bench.root, 'all.backup');
    await runBackup(backup, bench.dataDir);
    expect(await readFile(backup, 'utf8')).not.toContain('northern office');
    await bench.stop(server);
    const sealKey = bench.file('seal.key');
    const other = join(bench.root, 'other.key');
    await createSealKeyFile(other);
    bench.dataDir = join(bench.root, 'restored');
    await expect(runRestore(backup, bench.dataDir, { sealKeyFile: other })).rejects.toThrow(
      /other.key is not the seal key of this store: the store needs the key [\da-f]{12}, and the file contains/,
    );
    await runRestore(backup, bench.dataDir, { sealKeyFile: sealKey, trustsKeys: true });
    await writeFile(bench.file('admin.key'), `${key}\n`, { mode: 0o600 });
    const restored = await bench.start();
    expect(await bench.names(restored, 'users')).toContain('anna');
  });
});

describeExceptOnEtcd('an installation of an earlier version', () => {
  itExceptOnEtcd('continues to encrypt secrets only, and is encrypted on demand', noFiles, async () => {
    const before = await bench.start(await withConfig('encryption: {rows: secrets}'));
    await createUser(before, 'anna');
    const key = await bench.createKey(before, 'pipeline');
    await bench.stop(before);
    const store = await bench.openStore();
    await store.transact({
      writes: ['keyring', 'schema'].map((name) => ({
        key: { slice: 'installation', segments: [name] },
        value: undefined,
      })),
    });
    await store.close();

    const upgraded = await bench.start();
    expect(await statusOf(upgraded)).toMatchObject({ rows: 'secrets', isActive: true });
    expect((await bench.send(upgraded, encryptionPath, { token: key })).code).toBe(200);
    await createUser(upgraded, 'bob');
    await bench.stop(upgraded);
    expect(await keysAtRest()).toEqual(['clear']);

    const encrypting = await bench.start(await withConfig('encryption: {rows: all}'));
    await rotate(encrypting);
    await rewritten(encrypting);
    expect((await bench.send(encrypting, encryptionPath, { token: key })).code).toBe(200);
    await bench.stop(encrypting);
    expect(await keysAtRest()).not.toContain('clear');
    const later = await bench.start();
    expect(await statusOf(later)).toMatchObject({ rows: 'all' });
    expect(await bench.names(later, 'users')).toEqual(expect.arrayContaining(['anna', 'bob']));
  });
});

describe('rotation', () => {
  itExceptOnEtcd('replaces the seal key while the server runs, and the old key can be removed', noFiles, async () => {
    const server = await bench.start(await everything());
    await createUser(server, 'anna');
    const userKey = await bench.createKey(server, 'pipeline');
    const before = await statusOf(server);
    const path = bench.file('seal.key');
    const old = (await readSealKeyFile(path)) ?? [];
    const next = await createSealKeyFile(join(bench.root, 'next.key'));
    await writeSealKeyFile(path, [next, ...old]);
    const started = await rotate(server);
    expect(textsAt(started, 'neededRootKeys')).toEqual([textAt(started, 'nextRootKey')]);
    expect(textsAt(started, 'neededRootKeys')).not.toEqual(textsAt(before, 'neededRootKeys'));
    await createUser(server, 'bob');
    const after = await rewritten(server);
    expect(textAt(after, 'rewrittenAt')).not.toBe('');
    await writeSealKeyFile(path, [next]);
    await bench.stop(server);
    expect(await keysAtRest()).toEqual([textAt(after, 'dataKey')]);

    const again = await bench.start();
    expect(await bench.names(again, 'users')).toEqual(expect.arrayContaining(['anna', 'bob']));
    expect((await bench.send(again, encryptionPath, { token: userKey })).code).toBe(200);
  });

  itExceptOnEtcd('continues after a restart', noFiles, async () => {
    const server = await bench.start(await everything());
    await Promise.all(Array.from({ length: 40 }, (_, index) => createUser(server, `user-${index}`)));
    await rotate(server);
    await bench.stop(server);
    const again = await bench.start();
    const after = await rewritten(again);
    await bench.stop(again);
    expect(await keysAtRest()).toEqual([textAt(after, 'dataKey')]);
  });

  itExceptOnEtcd(
    'with encryption.rows: secrets, encrypts all secrets with a new key, and the old seal key can be removed',
    noFiles,
    async () => {
      const server = await bench.start(await withConfig('encryption: {rows: secrets}'));
      const password = 'correct horse battery';
      await bench.createObject(server, 'users', 'anna', { displayName: privateText, password });
      await bench.stop(server);
      // Before the first rotation, secrets are sealed with the first seal key and their rows are not encrypted.
      expect(await sealedTextsInClear()).toEqual(expect.arrayContaining(['installation', 'management']));

      const path = bench.file('seal.key');
      const next = await createSealKeyFile(join(bench.root, 'next.key'));
      await writeSealKeyFile(path, [next, ...((await readSealKeyFile(path)) ?? [])]);
      const rotating = await bench.start();
      const { dataKey: firstKey } = await rotate(rotating);
      await bench.stop(rotating);
      const resumed = await bench.start();
      await rewritten(resumed);
      await bench.createObject(resumed, 'users', 'bob', { password });
      const { dataKey } = await rotate(resumed);
      const status = await rewritten(resumed);
      expect(textsAt(status, 'neededRootKeys')).toEqual([textAt(status, 'nextRootKey')]);
      expect(firstKey).not.toBe(dataKey);
      await bench.stop(resumed);
      expect(await sealedTextsInClear()).toEqual([]);
      expect(await keysAtRest()).toEqual([dataKey, 'clear'].sort());

      await writeSealKeyFile(path, [next]);
      const again = await bench.start();
      for (const username of ['anna', 'bob']) {
        const body = { username, password };
        const login = await bench.send(again, '/auth/password/login', { method: 'POST', token: '', body });
        expect(login.code, login.text).toBe(201);
      }
    },
  );

  it('is refused to others than administrators, and other methods get 405', async () => {
    const server = await bench.start(await everything());
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'annas-key', { user: 'anna' });
    for (const method of ['GET', 'POST'] as const) {
      expect((await bench.send(server, encryptionPath, { method, token })).code, method).toBe(403);
      expect((await bench.send(server, encryptionPath, { method, token: '' })).code, method).toBe(401);
    }
    expect((await bench.send(server, encryptionPath, { method: 'PUT' })).code).toBe(405);
  });

  it('fails without a change if the seal key file is damaged', async () => {
    const server = await bench.start(await everything());
    const before = await statusOf(server);
    const path = bench.file('seal.key');
    const keys = (await readSealKeyFile(path)) ?? [];
    await writeFile(path, 'no key\n', { mode: 0o600 });
    const { code, json } = await bench.send(server, encryptionPath, { method: 'POST' });
    expect({ code, message: textAt(json, 'message') }).toEqual({
      code: 503,
      message: expect.stringContaining('seal.key must be a seal key'),
    });
    await writeSealKeyFile(path, keys);
    expect(await statusOf(server)).toEqual(before);
  });
});

describe('a start', () => {
  itExceptOnEtcd('without the setting encrypts secrets only', noFiles, async () => {
    const server = await bench.start();
    expect(await statusOf(server)).toMatchObject({ rows: 'secrets', isActive: true });
    await bench.stop(server);
    expect(await keysAtRest()).toEqual(['clear']);
  });

  it.each([
    ['without the seal key', async (path: string) => rm(path), /the seal key of this store is missing: copy it to/],
    [
      'with another seal key',
      async (path: string) => void (await createSealKeyFile(path)),
      /is not the seal key of this store: the store needs the key [\da-f]{12}, and the file contains [\da-f]{12}; add/,
    ],
  ])('%s is refused with a message that names the key', async (_name, change, message) => {
    await bench.stop(await bench.start());
    const key = await bench.read('seal.key');
    await change(bench.file('seal.key'));
    await expect(bench.start()).rejects.toThrow(message);
    await writeFile(bench.file('seal.key'), key, { mode: 0o600 });
    await bench.stop(await bench.start());
  });
});
