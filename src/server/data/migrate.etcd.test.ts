import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonValue, textAt } from '@flotilla/json';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../test/harness/suite.ts';
import { EtcdCluster, noEtcd } from '../../store/etcd/etcd.fixture.ts';
import { openEtcdStore } from '../../store/etcd/etcd-store.ts';
import { collectAsync } from '../../store/suite/suite-store.ts';
import { groupPath, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { runBackup } from './backup.ts';
import { isUnloggedRow } from './is-unlogged-row.ts';
import { runMigrate } from './migrate.ts';
import { runRestoreToEtcd } from './restore-to-etcd.ts';

let cluster: EtcdCluster;
let bench: ServerTestEnv;
let prefixes = 0;
let prefix: string;

beforeAll(async () => {
  cluster = await EtcdCluster.start();
});
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  prefix = `migrate/${prefixes++}`;
});
afterEach(() => bench.close());
afterAll(async () => {
  await cluster.stop();
});

const noFlags = {
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  username: undefined,
  passwordFile: undefined,
};
const toEtcd = () =>
  runMigrate({ from: 'embedded', to: cluster.endpoints, dataDir: bench.dataDir, etcd: { ...noFlags, prefix } });
const toEmbedded = (dataDir: string) =>
  runMigrate({ from: cluster.endpoints, to: 'embedded', dataDir, etcd: { ...noFlags, prefix } });
const startOnEtcd = (at = prefix) => bench.start({ store: cluster.endpoints, 'etcd-prefix': at });
const settings = (at: string) => ({
  endpoints: cluster.endpoints,
  prefix: at,
  caFile: undefined,
  clientCertificate: undefined,
  user: undefined,
});

interface Seen {
  readonly objects: readonly JsonValue[];
  readonly revisions: readonly number[];
  readonly installation: string;
  readonly keys: JsonValue;
}

/** Returns the data that a migration must leave unchanged, and the resource versions, which it must increase. */
async function seenAt(server: RunningServer): Promise<Seen> {
  const objects = await bench.objects(server);
  const self = await bench.send(server, `${groupPath}/selves`, { method: 'POST', body: {} });
  const jwks = await bench.request(server, '/auth/jwks', { token: '' });
  return {
    objects: objects.map(withoutRevision),
    revisions: objects.map((object) => Number(textAt(object, 'metadata', 'resourceVersion'))),
    installation: textAt(self.json, 'status', 'instanceID'),
    keys: (await jwks.body.json()) as JsonValue,
  };
}

function withoutRevision(object: JsonValue): JsonValue {
  if (!isJsonObject(object) || !isJsonObject(object.metadata)) throw new Error('this is not an object');
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function expectMoved(before: Seen, after: Seen): void {
  expect({ ...after, revisions: [] }).toEqual({ ...before, revisions: [] });
  for (const [index, revision] of after.revisions.entries()) {
    expect(revision).toBeGreaterThanOrEqual(before.revisions[index] ?? Number.NaN);
  }
}

describeIfAvailable(noEtcd, 'flotilla migrate', () => {
  it('moves an installation to etcd and back, with the same objects, keys and identity', async () => {
    const embedded = await bench.start();
    await bench.createObject(embedded, 'users', 'anna');
    await bench.createKey(embedded, 'annas', { user: 'anna' });
    const [before, key] = [await seenAt(embedded), await bench.adminKey()];
    await bench.stop(embedded);

    expect(await toEtcd()).toMatch(/^copied \d+ rows in \d+ slices from .* and compared them\n/);
    await expect(bench.start()).rejects.toThrow('belongs to a store on etcd');
    const onEtcd = await startOnEtcd();
    const moved = await seenAt(onEtcd);
    expectMoved(before, moved);
    expect(Math.min(...moved.revisions)).toBeGreaterThan(Math.max(...before.revisions));
    await bench.createObject(onEtcd, 'users', 'berta');
    const later = await seenAt(onEtcd);
    await bench.stop(onEtcd);

    const single = join(bench.root, 'single');
    expect(await toEmbedded(single)).toMatch(/^copied \d+ rows/);
    expect((await readdir(single)).sort()).toEqual(['installation.json', 'lock', 'store']);
    for (const name of ['seal.key', 'admin.key']) await cp(bench.file(name), join(single, name));
    bench.dataDir = single;
    const back = await bench.start();
    expectMoved(later, await seenAt(back));
    expect(await bench.adminKey()).toBe(key);
    expect(await bench.createObject(back, 'users', 'clara')).toMatchObject({ metadata: { name: 'clara' } });
  });

  it('copies unlogged rows to where a server on etcd writes them', async () => {
    const server = await startOnEtcd();
    const body = { metadata: { name: 'demo' }, spec: { clusterRef: { cluster: 'local' } } };
    const path = `${groupPath}/namespaces/platform-p-default/virtualclusterinstances`;
    expect((await bench.send(server, path, { method: 'POST', body })).code).toBe(201);
    const phase = async () => textAt((await bench.send(server, `${path}/demo`)).json, 'status', 'phase');
    await expect.poll(phase, { timeout: 30_000 }).toBe('Ready');
    await bench.stop(server);
    const store = await openEtcdStore({ endpoints: cluster.endpoints, prefix });
    const rows = (await collectAsync(store.dump())).flatMap((row) => (row.row === 'entry' ? [row] : []));
    await store.close();
    const wrong = rows.filter(({ key, unlogged = false }) => isUnloggedRow(key) !== unlogged);
    expect(wrong.map(({ key }) => [key.slice, ...key.segments].join('/'))).toEqual([]);
    expect(rows.filter(({ unlogged }) => unlogged).length).toBeGreaterThan(3);
  });

  it('is refused while a server runs, without a store, and twice', async () => {
    await expect(toEtcd()).rejects.toThrow('there is no embedded store in');
    const server = await bench.start();
    await expect(toEtcd()).rejects.toThrow('is in use by another process');
    await bench.stop(server);
    await toEtcd();
    await expect(toEtcd()).rejects.toThrow('there is no embedded store in');
    const onEtcd = await startOnEtcd();
    await expect(toEmbedded(join(bench.root, 'x'))).rejects.toThrow(
      /the server \w+ .*uses the store; stop all servers/,
    );
    await bench.stop(onEtcd);
    await expect(toEmbedded(join(bench.root, 'x'))).resolves.toContain('copied');
    await expect(toEmbedded(join(bench.root, 'x'))).rejects.toThrow('exists already');
    prefix = 'migrate/none';
    await expect(toEmbedded(join(bench.root, 'y'))).rejects.toThrow('there is no store at');
    expect(await readdir(bench.root)).not.toContain('y');
    for (const [from, to] of [
      ['embedded', 'embedded'],
      ['memory', 'embedded'],
      [cluster.endpoints, cluster.endpoints],
    ] as const) {
      const options = { from, to, dataDir: bench.dataDir, etcd: { ...noFlags, prefix: undefined } };
      await expect(runMigrate(options)).rejects.toThrow('one of --from and --to must be embedded');
    }
    const wrong = { from: 'embedded', to: 'http://etcd-1:2379', dataDir: bench.dataDir, etcd: { ...noFlags, prefix } };
    await expect(runMigrate(wrong)).rejects.toThrow(/^--to: the etcd address "http:.* loopback addresses only/);
  });

  it('that was interrupted leaves a prefix that no server accepts', async () => {
    const importing = { identity: 'i', importId: 'interrupted' };
    const half = await openEtcdStore({ endpoints: cluster.endpoints, prefix, importing });
    await half.close();
    await expect(startOnEtcd()).rejects.toThrow(/contains an unfinished import; remove its keys \(etcdctl del/);
    await expect(runBackup(join(bench.root, 'b'), undefined, { etcd: settings(prefix) })).rejects.toThrow(
      'unfinished import',
    );
  });
});

describeIfAvailable(noEtcd, 'a backup of a store on etcd', () => {
  it('can be made with and without a server, and be restored to another prefix', async () => {
    const server = await startOnEtcd();
    await bench.createObject(server, 'users', 'anna');
    const before = await seenAt(server);
    const online = join(bench.root, 'online');
    await runBackup(online, bench.dataDir);
    await bench.stop(server);
    const offline = join(bench.root, 'offline');
    expect(await runBackup(offline, undefined, { etcd: settings(prefix) })).toContain('does not contain the seal key');
    for (const [index, file] of [online, offline].entries()) {
      const restored = `${prefix}/${index}`;
      const message = await runRestoreToEtcd(file, settings(restored), {
        sealKeyFile: bench.file('seal.key'),
        trustsKeys: true,
      });
      expect(message).toMatch(/^restored \d+ entries to http/);
      const copy = join(bench.root, `copy-${index}`);
      await mkdir(copy, { mode: 0o700 });
      for (const name of ['seal.key', 'admin.key']) await cp(bench.file(name), join(copy, name));
      const original = bench.dataDir;
      bench.dataDir = copy;
      const again = await startOnEtcd(restored);
      const { keys, ...rest } = await seenAt(again);
      expectMoved(before, { ...rest, keys: before.keys });
      // A restore ends all tokens, so there is a new signing key.
      expect(keys).not.toEqual(before.keys);
      await bench.stop(again);
      bench.dataDir = original;
    }
  });

  it('is not restored with another seal key or from a damaged file, and leaves nothing behind', async () => {
    await bench.stop(await startOnEtcd());
    const file = join(bench.root, 'backup');
    await runBackup(file, undefined, { etcd: settings(prefix) });
    const sealKey = await readFile(bench.file('seal.key'));
    await rm(bench.dataDir, { recursive: true });
    await bench.stop(await bench.start({ store: 'memory' }));
    expect(await readFile(bench.file('seal.key'))).not.toEqual(sealKey);
    const target = settings(`${prefix}/restored`);
    await expect(runRestoreToEtcd(file, target, { sealKeyFile: bench.file('seal.key') })).rejects.toThrow(
      'is not the seal key',
    );
    await expect(runRestoreToEtcd(bench.file('ca.crt'), target)).rejects.toThrow('this is not a Flotilla backup');
    await expect(runRestoreToEtcd(join(bench.root, 'none'), target)).rejects.toThrow('not found');
    expect(await runRestoreToEtcd(file, target)).toContain('restored');
  });
});
