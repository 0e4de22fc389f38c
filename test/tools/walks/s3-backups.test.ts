import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backupsPath } from '../../../src/api/backups/backup-status.ts';
import { ManualClock } from '../../../src/lib/clock.ts';
import { readLines } from '../../../src/lib/read-lines.ts';
import { chunksOf } from '../../../src/server/backups/backup-content.ts';
import { BackupNames } from '../../../src/server/backups/backup-name.ts';
import { S3Destination } from '../../../src/server/backups/s3-destination.ts';
import { runRestore } from '../../../src/server/data/restore.ts';
import { ServerTestEnv } from '../../../src/server/server.fixture.ts';
import { backupLines } from '../../../src/store/backup.ts';
import { openMemoryStore } from '../../../src/store/memory.ts';
import type { Store } from '../../../src/store/store.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { gatewayMissing, S3Gateway } from './s3-gateway.ts';

const signal = new AbortController().signal;
const names = new BackupNames('0c8b7c1e-77aa-4c2e-9d55-000000000000');
const megabyte = 1024 * 1024;

/** Creates a store whose backup is slightly larger than `megabytes`. */
async function storeOf(megabytes: number): Promise<Store> {
  const store = await openMemoryStore();
  const value = 'x'.repeat(megabyte);
  for (let n = 0; n < megabytes; n++) {
    await store.transact({ writes: [{ key: { slice: 's', segments: [String(n)] }, value }] });
  }
  return store;
}

describeIfAvailable(gatewayMissing, 'backups to an S3 service', () => {
  let gateway: S3Gateway;
  let folder: string;
  let destination: S3Destination;
  beforeAll(async () => {
    gateway = await S3Gateway.start();
    folder = await mkdtemp(join(tmpdir(), 's3-backups-'));
    destination = new S3Destination(gateway.settings, names);
  });
  afterAll(async () => {
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  async function write(store: Store, name: string, use: AbortSignal = signal) {
    return await destination.write({ name, chunks: chunksOf(backupLines(store), use), signal: use });
  }

  it('are uploaded in parts with checksums, read again, listed, and removed', async () => {
    const store = await storeOf(40);
    const name = names.at(Date.parse('2026-11-18T03:00:00Z'));
    const { bytes, rows } = await write(store, name);
    expect(bytes).toBeGreaterThan(40 * megabyte);
    expect(rows).toBe(41);
    expect(await gateway.objects()).toEqual([name]);
    expect(gateway.requests().filter((line) => line.includes('partNumber'))).toHaveLength(3);
    expect(await destination.list(signal)).toEqual([{ name, time: '2026-11-18T03:00:00Z', bytes }]);
    await writeFile(join(gateway.bucketFolder, gateway.settings.prefix, 'other'), 'another object');
    expect(await destination.list(signal)).toHaveLength(1);
    await destination.remove(name, signal);
    expect(await gateway.objects()).toEqual(['other']);
    await store.close();
  });

  it('leave nothing behind if the store fails, and if the upload is aborted', async () => {
    const store = await storeOf(40);
    const { dump } = store;
    const aborting = new AbortController();
    let onEnd = (): void => {
      throw new Error('the store is damaged');
    };
    store.dump = async function* () {
      yield* dump.call(store);
      onEnd();
    };
    const name = names.at(Date.parse('2026-11-18T04:00:00Z'));
    await expect(write(store, name)).rejects.toThrow('the store is damaged');
    onEnd = () => aborting.abort();
    await expect(write(store, name, aborting.signal)).rejects.toThrow(/abort/i);
    expect(await destination.list(signal)).toEqual([]);
    await store.close();
  });

  it('remove the parts that a killed server has uploaded', async () => {
    const { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } = await import('@aws-sdk/client-s3');
    const { Agent } = await import('node:https');
    const { bucket: Bucket, prefix, endpoint, region } = gateway.settings;
    const client = new S3Client({
      endpoint: endpoint ?? '',
      region,
      forcePathStyle: true,
      credentials: { accessKeyId: 'backup-writer', secretAccessKey: 'a secret of the tests' },
      requestHandler: { httpsAgent: new Agent({ rejectUnauthorized: false }) },
    });
    for (const name of [names.at(0), 'of-somebody-else']) {
      await client.send(new CreateMultipartUploadCommand({ Bucket, Key: `${prefix}${name}` }));
    }
    await destination.removeIncomplete(signal);
    const left = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    expect(left.Uploads?.map(({ Key }) => Key)).toEqual([`${prefix}of-somebody-else`]);
    client.destroy();
  });

  it('name what the service rejects, and trust only the certificates of the CA file', async () => {
    const other = new S3Destination({ ...gateway.settings, bucket: 'no-such-bucket' }, names);
    await expect(other.list(signal)).rejects.toThrow('NoSuchBucket (status 404)');
    const untrusted = new S3Destination({ ...gateway.settings, caFile: undefined }, names);
    await expect(untrusted.list(signal)).rejects.toThrow(/self.signed/);
    await writeFile(join(folder, 'wrong'), 'wrong');
    const credentials = { accessKeyIdFile: join(gateway.folder, 'id'), secretAccessKeyFile: join(folder, 'wrong') };
    const stranger = new S3Destination({ ...gateway.settings, credentials }, names);
    await expect(stranger.list(signal)).rejects.toThrow('SignatureDoesNotMatch (status 403)');
  });

  it('do not follow redirects', async () => {
    let redirected = 0;
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/elsewhere') === true) redirected++;
      response
        .writeHead(307, { location: `http://127.0.0.1:${(server.address() as AddressInfo).port}/elsewhere` })
        .end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(new S3Destination({ ...gateway.settings, endpoint }, names).list(signal)).rejects.toThrow(
      'status 307',
    );
    expect(redirected).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });

  it('are made by a server, also after the service was down, and can be restored', async () => {
    const bench = await ServerTestEnv.open();
    const clock = new ManualClock(Date.now());
    try {
      const { credentials, caFile, endpoint, bucket, prefix } = gateway.settings;
      const s3 = { bucket, prefix, endpoint: endpoint ?? '', caFile: caFile ?? '', ...credentials } as JsonObject;
      const server = await bench.start(await bench.settings({ backup: { schedule: '@hourly', s3 } }), clock);
      await bench.createObject(server, 'users', 'anna');
      const objects = await bench.objects(server);
      const status = async () => (await bench.send(server, backupsPath)).json;
      const advanceUntil = (holds: (state: JsonObject) => boolean) =>
        expect
          .poll(
            async () => {
              clock.advance(600_000);
              return holds(await status());
            },
            { timeout: 60_000, interval: 500 },
          )
          .toBe(true);
      await gateway.down();
      await advanceUntil((state) => textAt(state, 'lastFailure', 'message').includes('ECONNREFUSED'));
      expect((await bench.send(server, '/metrics')).text).toMatch(/flotilla_backup_failures_total [1-9]/);
      expect((await bench.send(server, '/readyz')).code).toBe(200);
      await gateway.up();
      await advanceUntil((state) => listAt(state, 'items').length > 0 && state.lastFailure === undefined);
      const name = textAt(await status(), 'lastSuccess', 'name');
      const file = join(gateway.bucketFolder, prefix, name);
      let lines = 0;
      for await (const _line of readLines(createReadStream(file))) lines++;
      expect(lines).toBeGreaterThan(10);
      const key = await bench.read('seal.key');
      const admin = await bench.read('admin.key');
      await bench.stop(server);

      await writeFile(join(folder, 'seal.key'), key, { mode: 0o600 });
      bench.dataDir = join(bench.root, 'restored');
      await runRestore(file, bench.dataDir, { sealKeyFile: join(folder, 'seal.key'), trustsKeys: true });
      await mkdir(bench.dataDir, { recursive: true });
      await writeFile(bench.file('admin.key'), admin, { mode: 0o600 });
      expect(await bench.objects(await bench.start({ store: 'embedded' }))).toEqual(objects);
    } finally {
      await bench.close();
    }
  });
});
