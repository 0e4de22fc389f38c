import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeIfAvailable } from '../../test/harness/suite.ts';
import { makeAuthority } from '../../test/kubernetes/harness/authority.ts';
import { defaultProject, projectNamespace } from '../api/naming.ts';
import { rangeMethod, txnMethod } from '../store/etcd/client/methods.ts';
import { EtcdCluster, noEtcd } from '../store/etcd/etcd.fixture.ts';
import { groupPath, ServerTestEnv } from './server.fixture.ts';
import type { FlagValues } from './settings/flags.ts';

let cluster: EtcdCluster;
let bench: ServerTestEnv;
let tests = 0;
let etcd: { readonly store: string; readonly 'etcd-prefix': string };

beforeAll(async () => {
  cluster = await EtcdCluster.start();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  etcd = { store: cluster.endpoints, 'etcd-prefix': `server/${tests++}` };
});
afterEach(() => bench.close());

/** All keys of etcd with their revisions. */
async function etcdKeys(): Promise<string[]> {
  const client = cluster.client();
  const { kvs } = await client.call(rangeMethod, { key: '\0', rangeEnd: '\0', keysOnly: true });
  client.close();
  return kvs.map(({ key, modRevision }) => `${key}@${modRevision}`);
}

async function dataFiles(): Promise<string[]> {
  return (await readdir(bench.dataDir).catch(() => [])).sort();
}

/** Expects a start to fail with a one-line message, and to leave etcd and the files unchanged. */
async function expectRefusal(flags: FlagValues, message: RegExp | string): Promise<void> {
  const [keys, files] = [await etcdKeys(), await dataFiles()];
  const error: unknown = await bench.start({ ...etcd, ...flags }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(['StartError', 'StoreError']).toContain((error as Error).name);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).not.toContain('\n');
  expect([await etcdKeys(), await dataFiles()]).toEqual([keys, files]);
}

const configMaps = '/kubernetes/cluster/local/api/v1/namespaces/default/configmaps';

describeIfAvailable(noEtcd, 'a server with a store on etcd', () => {
  it('creates its files, and finds all objects after a restart', async () => {
    const first = await bench.start(etcd);
    const files = await dataFiles();
    expect(files).toEqual(expect.arrayContaining(['installation.json', 'lock', 'replica.id', 'seal.key']));
    expect(files).not.toContain('store');
    expect(JSON.parse(await bench.read('installation.json'))).toMatchObject({ etcdPrefix: etcd['etcd-prefix'] });
    const id = await bench.read('replica.id');
    await bench.createObject(first, 'users', 'anna');
    const instances = `${groupPath}/namespaces/${projectNamespace(defaultProject)}/virtualclusterinstances`;
    const body = { metadata: { name: 'one' }, spec: {} };
    expect((await bench.send(first, instances, { method: 'POST', body })).code).toBe(201);
    const phase = async () => (await bench.send(first, `${instances}/one`)).text;
    await expect.poll(phase, { timeout: 20_000 }).toContain('"phase":"Ready"');
    const inside = '/kubernetes/project/default/virtualcluster/one/api/v1/namespaces/default/configmaps';
    const created = await bench.send(first, inside, { method: 'POST', body: { metadata: { name: 'kept' } } });
    expect(created.code, created.text).toBe(201);
    await bench.stop(first);

    const second = await bench.start(etcd);
    expect(await bench.names(second, 'users')).toEqual(['admin', 'anna']);
    expect((await bench.send(second, `${inside}/kept`)).json).toEqual(created.json);
    expect(await bench.read('replica.id')).toBe(id);
    expect((await bench.send(second, '/readyz/store-writes', { token: '' })).code).toBe(200);
  });

  it('accepts objects up to the limit of etcd, and names the limit beyond it', async () => {
    const server = await bench.start(etcd);
    const create = (name: string, annotationLength: number) => {
      const annotations = { note: 'x'.repeat(annotationLength) };
      const body = { metadata: { name, annotations }, data: { text: 'x'.repeat(1024 * 1024) } };
      return bench.send(server, configMaps, { method: 'POST', body });
    };
    const stored = await create('large', 250_000);
    expect(stored.code, stored.text.slice(0, 500)).toBe(201);
    const refused = await create('too-large', 262_100);
    expect(refused.code, refused.text.slice(0, 500)).toBe(413);
    expect(refused.json.message).toMatch(
      /^Request entity too large: the object has 131\d{4} bytes; the limit is 1310720 \(server setting etcd.maxRequestBytes\)$/,
    );
  });

  it('does not share its data directory with another server', async () => {
    await bench.start(etcd);
    await expect(bench.start(etcd)).rejects.toThrow(
      `data directory ${bench.dataDir} is in use by another process; each replica needs a directory of its own`,
    );
  });

  it('joins with copies of the keys of another server', async () => {
    const first = await bench.start(etcd);
    await bench.createObject(first, 'users', 'anna');
    const other = join(bench.root, 'other');
    await mkdir(other);
    for (const name of ['seal.key', 'signing.key', 'ca.crt', 'ca.key']) {
      await writeFile(join(other, name), await bench.read(name), { mode: 0o600 });
    }
    const second = await bench.start({ ...etcd, 'data-dir': other });
    expect(await bench.names(second, 'users')).toContain('anna');
    expect(await readFile(join(other, 'replica.id'), 'utf8')).not.toBe(await bench.read('replica.id'));
  });
});

describeIfAvailable(noEtcd, 'a start that etcd or a file prevents', () => {
  it('reports a wrong address after a limited time', async () => {
    const start = performance.now();
    await expectRefusal(
      { store: 'http://127.0.0.1:1' },
      /cannot open the store at http:\/\/127.0.0.1:1: connect ECONNREFUSED/,
    );
    expect(performance.now() - start).toBeLessThan(9_000);
    await expectRefusal(
      { store: 'https://no-such-host.invalid:1' },
      /cannot open the store at https:\/\/no-such-host.invalid:1: /,
    );
  });

  it('reports the prefix of another installation', async () => {
    await bench.stop(await bench.start(etcd));
    await expectRefusal(
      { 'etcd-prefix': 'server/none' },
      'there is no store at the etcd key "server/none:installation"',
    );
    const other = { ...etcd, 'etcd-prefix': `${etcd['etcd-prefix']}-other` };
    await bench.stop(await bench.start({ ...other, 'data-dir': join(bench.root, 'other') }));
    await expectRefusal(other, 'belongs to another installation');
  });

  it('reports a newer schema', async () => {
    const client = cluster.client();
    const value = JSON.stringify({ identity: 'x', schema: 1000, base: 0 });
    const put = { key: `${etcd['etcd-prefix']}:installation`, value };
    await client.call(txnMethod, { compare: [], success: [{ put }], failure: [] });
    client.close();
    await expectRefusal({}, 'was written by a newer version of Flotilla');
  });

  it('reports a missing and a wrong seal key, and does not remember the store', async () => {
    await bench.stop(await bench.start(etcd));
    const key = await bench.read('seal.key');
    bench.dataDir = join(bench.root, 'second');
    await mkdir(bench.dataDir);
    const fails = (message: string) => expect(bench.start(etcd)).rejects.toThrow(message);
    const before = await etcdKeys();
    await fails('the seal key of this store is missing');
    await writeFile(bench.file('seal.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    await fails('is not the seal key of this store');
    expect(await etcdKeys()).toEqual(before);
    await expect(access(bench.file('installation.json'))).rejects.toThrow();
    await writeFile(bench.file('seal.key'), key);
    await bench.start(etcd);
  });

  it('reports credential files that cannot be used', async () => {
    const secure = { store: cluster.endpoints.replace('http:', 'https:') };
    const file = join(bench.root, 'file');
    await writeFile(file, '\n');
    await expectRefusal(
      { ...secure, 'etcd-ca-file': join(bench.root, 'none') },
      /^--etcd-ca-file: .* there is no such file$/,
    );
    await expectRefusal({ ...secure, 'etcd-ca-file': file }, /^--etcd-ca-file: .* contains no PEM certificate$/);
    await expectRefusal({ 'etcd-username': 'u', 'etcd-password-file': file }, /^--etcd-password-file: .* is empty$/);
    const authority = await makeAuthority('client');
    const [one, other] = [await authority.client({ name: 'one' }), await authority.client({ name: 'other' })];
    const [certFile, keyFile] = [join(bench.root, 'client.crt'), join(bench.root, 'client.key')];
    await writeFile(certFile, one.cert);
    await writeFile(keyFile, other.key);
    const pair = { 'etcd-cert-file': certFile, 'etcd-key-file': keyFile };
    await expectRefusal({ ...secure, ...pair }, /^--etcd-key-file: .* is not the private key of /);
  });

  it('reports a data directory of the other kind of store', async () => {
    await bench.stop(await bench.start(etcd));
    await expectRefusal({ store: 'embedded', 'etcd-prefix': [] }, 'belongs to a store on etcd');
    bench.dataDir = join(bench.root, 'embedded');
    await bench.stop(await bench.start({ store: 'embedded' }));
    await expectRefusal({}, 'contains an embedded store; copy it to etcd');
    await rm(bench.file('installation.json'));
    await expectRefusal({}, 'contains an embedded store; copy it to etcd');
  });
});
