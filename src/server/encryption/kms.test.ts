import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textAt, textsAt, valueAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { encryptionPath } from '../../api/encryption/encryption-status.ts';
import { fileExists } from '../../process/private-dir.ts';
import { KmsPlugin } from '../../seal/kms/kms-plugin.fixture.ts';
import { ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let bench: ServerTestEnv;
let sockets: string;
let plugin: KmsPlugin;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  sockets = await mkdtemp(join(tmpdir(), 'kms-'));
  plugin = await KmsPlugin.start(join(sockets, 'kms.sock'));
});
afterEach(async () => {
  await bench.close();
  plugin.stop();
  await rm(sockets, { recursive: true });
});

async function start(rootKey?: 'kms' | 'file'): Promise<RunningServer> {
  const config = join(bench.root, 'config.yaml');
  const choice = rootKey === undefined ? '' : `, rootKey: ${rootKey}`;
  await writeFile(config, `encryption: {rows: all, kms: '${plugin.endpoint}'${choice}}`);
  return await bench.start({ config });
}

const statusOf = async (server: RunningServer) => (await bench.send(server, encryptionPath)).json;

async function rotate(server: RunningServer): Promise<readonly string[]> {
  const { code, text } = await bench.send(server, encryptionPath, { method: 'POST' });
  expect(code, text).toBe(201);
  await expect.poll(async () => valueAt(await statusOf(server), 'rewrite'), { timeout: 20_000 }).toBeUndefined();
  return textsAt(await statusOf(server), 'neededRootKeys');
}

const noFiles = 'the test is about the files of the data directory';

itExceptOnEtcd('an installation with a KMS has no seal key, and opens only with the KMS', noFiles, async () => {
  const server = await start();
  await bench.createObject(server, 'users', 'anna');
  expect(await fileExists(bench.file('seal.key'))).toBe(false);
  expect(textsAt(await statusOf(server), 'neededRootKeys')).toEqual(['kms:key-1']);
  await bench.stop(server);
  await expect(bench.start()).rejects.toThrow(/encrypted with the key key-1 of a KMS; set encryption.kms/);
  expect(await bench.names(await start(), 'users')).toContain('anna');
});

it('a rotation moves all keys to the current key of the KMS, and the old one can be removed', async () => {
  const server = await start();
  await bench.createObject(server, 'users', 'anna');
  plugin.keyId = 'key-2';
  expect(await rotate(server)).toEqual(['kms:key-2']);
  plugin.removed.add('key-1');
  await bench.stop(server);
  const again = await start();
  expect(await bench.names(again, 'users')).toContain('anna');
  await bench.stop(again);
  plugin.removed.add('key-2');
  plugin.keyId = 'key-3';
  await expect(start()).rejects.toThrow(/the key key-2 was removed/);
});

it('a server whose plugin has gone continues with the keys in memory, and /healthz shows it', async () => {
  const server = await start();
  plugin.stop();
  await bench.createObject(server, 'users', 'anna');
  expect(await bench.names(server, 'users')).toContain('anna');
  expect((await bench.send(server, '/readyz')).code).toBe(200);
  const health = await bench.send(server, '/healthz?verbose');
  expect({ code: health.code, text: health.text }).toEqual({
    code: 500,
    text: expect.stringContaining('[-]kms failed'),
  });
  const { code, json } = await bench.send(server, encryptionPath, { method: 'POST' });
  expect({ code, message: textAt(json, 'message') }).toEqual({
    code: 503,
    message: expect.stringContaining('the KMS plugin at unix:'),
  });
});

itExceptOnEtcd('an installation moves from its seal key to a KMS, and back', noFiles, async () => {
  const before = await bench.start();
  await bench.createObject(before, 'users', 'anna');
  await bench.stop(before);
  const moving = await start();
  expect(await rotate(moving)).toEqual(['kms:key-1']);
  await bench.stop(moving);
  const sealKey = await bench.read('seal.key');
  await rm(bench.file('seal.key'));
  const onKms = await start();
  expect(await bench.names(onKms, 'users')).toContain('anna');
  await bench.stop(onKms);
  await writeFile(bench.file('seal.key'), sealKey, { mode: 0o600 });
  const back = await start('file');
  expect(await rotate(back)).toEqual([expect.stringMatching(/^[\da-f]{12}$/)]);
  await bench.stop(back);
  expect(await bench.names(await bench.start(), 'users')).toContain('anna');
});
