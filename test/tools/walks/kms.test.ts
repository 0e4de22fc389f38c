import { textAt, textsAt, valueAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encryptionPath } from '../../../src/api/encryption/encryption-status.ts';
import { ManualClock, systemClock } from '../../../src/lib/clock.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { fileExists } from '../../../src/process/private-dir.ts';
import { ServerTestEnv } from '../../../src/server/server.fixture.ts';
import type { RunningServer } from '../../../src/server/start-server.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { KmsProcess, kmsPluginMissing } from './kms-process.ts';

describeIfAvailable(kmsPluginMissing, "a server with a KMS plugin made from Kubernetes' packages", () => {
  let bench: ServerTestEnv;
  let kms: KmsProcess;
  beforeEach(async () => {
    bench = await ServerTestEnv.open();
    kms = await KmsProcess.start('key-1');
  });
  afterEach(async () => {
    await bench.close();
    await kms.close();
  });

  const start = async (clock = systemClock, log: Log = silentLog) =>
    await bench.start(await bench.settings({ encryption: { rows: 'all', kms: kms.endpoint } }), clock, log);
  const statusOf = async (server: RunningServer) => (await bench.send(server, encryptionPath)).json;
  const neededKeys = async (server: RunningServer) => textsAt(await statusOf(server), 'neededRootKeys');

  async function rotate(server: RunningServer): Promise<void> {
    const { code, text } = await bench.send(server, encryptionPath, { method: 'POST' });
    expect(code, text).toBe(201);
    await expect.poll(async () => valueAt(await statusOf(server), 'rewrite'), { timeout: 30_000 }).toBeUndefined();
  }

  it('has no seal key on its disk, and reads its store after restarts of both', async () => {
    const server = await start();
    await bench.createObject(server, 'users', 'anna');
    expect(await neededKeys(server)).toEqual(['kms:key-1']);
    expect(await fileExists(bench.file('seal.key'))).toBe(false);
    await bench.stop(server);
    await kms.down();
    await kms.up();
    const again = await start();
    expect(await bench.names(again, 'users')).toContain('anna');
    expect((await bench.send(again, '/healthz/kms')).code).toBe(200);
  });

  it('uses a new key of the KMS for new rows within a minute, and does not need the old key after a rotation', async () => {
    const clock = new ManualClock(Date.now());
    const server = await start(clock);
    await bench.createObject(server, 'users', 'anna');
    const { dataKey } = await statusOf(server);
    await kms.addKey('key-2');
    await expect
      .poll(
        async () => {
          clock.advance(60_000);
          return await neededKeys(server);
        },
        { timeout: 30_000 },
      )
      .toEqual(['kms:key-1', 'kms:key-2']);
    expect(textAt(await statusOf(server), 'dataKey')).not.toBe(dataKey);
    await bench.stop(server);

    const rotating = await start();
    await rotate(rotating);
    expect(await neededKeys(rotating)).toEqual(['kms:key-2']);
    await bench.stop(rotating);
    await kms.removeKey('key-1');
    const last = await start();
    expect(await bench.names(last, 'users')).toContain('anna');
    await bench.stop(last);
  });

  it('continues with the keys in memory while the plugin is down, and refuses a rotation', async () => {
    const server = await start();
    await kms.down();
    await bench.createObject(server, 'users', 'anna');
    expect(await bench.names(server, 'users')).toContain('anna');
    expect((await bench.send(server, '/readyz')).code).toBe(200);
    await expect.poll(async () => (await bench.send(server, '/healthz/kms')).code).toBe(500);
    const refused = await bench.send(server, encryptionPath, { method: 'POST' });
    expect(refused.code).toBe(503);
    expect(textAt(refused.json, 'message')).toContain(`the KMS plugin at ${kms.endpoint}`);
    await kms.up();
    await expect
      .poll(async () => (await bench.send(server, encryptionPath, { method: 'POST' })).code, { timeout: 30_000 })
      .toBe(201);
  });

  it('waits for the plugin at its start, and does not start without the key of its store', async () => {
    const server = await start();
    await bench.createObject(server, 'users', 'anna');
    await bench.stop(server);
    await kms.down();
    const warnings: string[] = [];
    const starting = start(systemClock, { ...silentLog, warn: (_, message) => warnings.push(message) });
    await expect.poll(() => warnings).toContain(`waiting for the KMS plugin at ${kms.endpoint}`);
    await kms.up();
    const waited = await starting;
    expect(await bench.names(waited, 'users')).toContain('anna');
    await bench.stop(waited);
    await kms.addKey('key-2');
    await kms.removeKey('key-1');
    await expect(start()).rejects.toThrow('there is no key key-1');
  });
});
