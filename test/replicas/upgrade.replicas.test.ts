import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rangeMethod } from '../../src/store/etcd/client/methods.ts';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { eventually } from '../bad-days/eventually.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { copyAsVersion } from './other-version.ts';
import { askReplica, createReadyInstance, registersOf } from './replica-api.ts';
import { ReplicaSet } from './replica-set.ts';
import { noTestNetwork } from './test-network.ts';

describeIfAvailable(noEtcd ?? noTestNetwork, 'replicas that are upgraded one by one', () => {
  let set: ReplicaSet;
  let folder: string;
  let nextVersion: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'flotilla-next-'));
    nextVersion = copyAsVersion(folder, { version: '0.2.0', schemas: [1, 3] });
    set = await ReplicaSet.start({ network: 9, replicas: 3, members: 1, started: 2 });
  });
  afterAll(async () => {
    await set?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns what a replica reports: the replicas with their versions, and the schema version of the store. */
  async function status(replica: number) {
    const { code, body } = await askReplica(set.replica(replica), set.adminKey, '/replicas');
    expect(code).toBe(200);
    const replicas = listAt(body as JsonValue, 'items').map((item) => ({
      version: textAt(item, 'version'),
      isOutdated: valueAt(item, 'isOutdated'),
    }));
    return { schema: valueAt(body as JsonValue, 'schema'), replicas };
  }

  /** Returns all keys in etcd. Keys that only a starting server writes are followed by their revisions. */
  async function etcdKeys(): Promise<string[]> {
    const client = set.etcd.client();
    const { kvs } = await client.call(rangeMethod, { key: '\0', rangeEnd: '\0', keysOnly: true });
    client.close();
    return kvs.map(({ key, modRevision }) => (key.includes('installation') ? `${key}@${modRevision}` : key));
  }

  /** Writes an object at one replica, and reads it at the other one. */
  async function writeAndRead(writer: number, reader: number, name: string): Promise<void> {
    const [writing, reading] = [registersOf(set, 'shared')[writer], registersOf(set, 'shared')[reader]];
    const path = new URL(writing?.url ?? '').pathname;
    const body = { metadata: { name }, data: { from: String(writer) } };
    const created = await askReplica(set.replica(writer), set.adminKey, path, { method: 'POST', body });
    expect(created.code, JSON.stringify(created.body)).toBe(201);
    const found = await askReplica(
      set.replica(reader),
      set.adminKey,
      `${new URL(reading?.url ?? '').pathname}/${name}`,
    );
    expect(found.body).toEqual(created.body);
  }

  it('serve side by side, and keep the old schema until the last old one has left', async () => {
    await createReadyInstance(set, 0, 'shared');
    await set.replica(1).stop();
    await set.replica(1).start(nextVersion);
    const mixed = await eventually(
      20,
      () => status(0),
      ({ replicas }) => replicas.length === 2,
    );
    expect(mixed.schema).toBe(2);
    expect(mixed.replicas).toEqual(
      expect.arrayContaining([
        { version: '0.1.0', isOutdated: true },
        { version: '0.2.0', isOutdated: false },
      ]),
    );
    await writeAndRead(0, 1, 'from-old');
    await writeAndRead(1, 0, 'from-new');
    for (const replica of [0, 1]) expect((await askReplica(set.replica(replica), '', '/readyz')).code).toBe(200);
    expect((await status(1)).schema).toBe(2);

    await set.replica(0).stop();
    await eventually(
      20,
      () => status(1),
      ({ schema }) => schema === 3,
    );
    await set.replica(0).start(nextVersion);
    await writeAndRead(0, 1, 'both-new');
    expect((await status(0)).replicas.map(({ version }) => version)).toEqual(['0.2.0', '0.2.0']);
  });

  it('refuse an old replica after that, with one line and without a write', async () => {
    const old = set.replica(2);
    const [keys, files] = [await etcdKeys(), old.files];
    const failure = await old.start().then(
      () => 'it has started',
      (error: Error) => error.message,
    );
    expect(failure).toMatch(
      /^flotilla exited with 1 before it was ready:\nflotilla: the store has schema 3, and this version of Flotilla \(0\.1\.0\) supports schemas 1 to 2; newer servers have upgraded the store, so start a newer version\n$/,
    );
    expect(old.files).toEqual(files);
    expect(await etcdKeys()).toEqual(keys);
  });
});
