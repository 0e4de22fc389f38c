import { once } from 'node:events';
import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../test/harness/etcd/it-except-on-etcd.ts';
import { isEtcdRun } from '../../test/harness/etcd/worker-etcd.ts';
import { defaultProject, projectNamespace } from '../api/naming.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { groupPath, ServerTestEnv } from './server.fixture.ts';
import { renderOnSameThread } from './templates/same-thread.fixture.ts';

/** The directory of LevelDB: the embedded store, or the lock of a data directory whose store is on etcd. */
const databaseName = isEtcdRun ? 'lock' : 'store';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

describe('the first start', () => {
  it('creates the files of completions §1 with private permissions', async () => {
    await bench.start();
    const files = await readdir(bench.dataDir);
    expect(files.sort()).toEqual([
      'admin.key',
      'admin.kubeconfig',
      'audit.log',
      'ca.crt',
      'ca.key',
      'installation.json',
      ...(isEtcdRun ? ['lock', 'replica.id'] : []),
      'seal.key',
      'serving.crt',
      'serving.key',
      'signing.key',
      ...(isEtcdRun ? [] : ['store']),
    ]);
    for (const name of files) {
      expect((await stat(bench.file(name))).mode & 0o777, name).toBe(name === databaseName ? 0o700 : 0o600);
    }
  });

  it('creates the objects of completions §1, which the admin key can read', async () => {
    const server = await bench.start();
    expect(await bench.names(server, 'users')).toEqual(['admin']);
    expect(await bench.names(server, 'projects')).toEqual(['default']);
    expect(await bench.names(server, 'clusters')).toEqual(['local']);
    expect(await bench.names(server, 'virtualclustertemplates')).toEqual(['control-plane']);
    const namespace = `/kubernetes/management/api/v1/namespaces/${projectNamespace(defaultProject)}`;
    expect((await bench.send(server, namespace)).code).toBe(200);
  });
});

describe('a later start', () => {
  it('serves requests before it reconciles stored objects', async () => {
    const instances = `${groupPath}/namespaces/${projectNamespace(defaultProject)}/virtualclusterinstances`;
    const first = await bench.start();
    // The template cannot be rendered, so each start tries again.
    const template = { helmRelease: { values: '{{ index (list 1) 5 }}' } };
    const body = { metadata: { name: 'one' }, spec: { template } };
    expect((await bench.send(first, instances, { method: 'POST', body })).code).toBe(201);
    const status = async () => (await bench.send(first, `${instances}/one`)).text;
    await expect.poll(status, { timeout: 10_000 }).toContain('cannot be rendered');
    await bench.stop(first);

    const order: string[] = [];
    const log = { ...silentLog, info: (_members: object, message: string) => void order.push(message) };
    await bench.start({}, systemClock, log, (...thread) => {
      order.push('rendering');
      return renderOnSameThread(...thread);
    });
    await expect.poll(() => order, { timeout: 10_000 }).toContain('rendering');
    expect(order.indexOf('serving')).toBeLessThan(order.indexOf('rendering'));
    expect(order).toContain('serving');
  });

  it('changes nothing except the address in admin.kubeconfig', async () => {
    const first = await bench.start();
    const objects = await bench.objects(first);
    await bench.stop(first);
    const before = new Map<string, string>();
    for (const name of await readdir(bench.dataDir))
      if (name !== databaseName) before.set(name, await bench.read(name));

    const second = await bench.start();
    expect(second.url).not.toBe(first.url);
    expect(await bench.objects(second)).toEqual(objects);
    before.set('admin.kubeconfig', before.get('admin.kubeconfig')?.replaceAll(first.url, second.url) ?? '');
    before.delete('audit.log');
    for (const [name, text] of before) expect(await bench.read(name), name).toBe(text);
  });

  it('writes the external URL to kubeconfigs if there is one', async () => {
    await bench.stop(await bench.start());
    const server = await bench.start({ 'external-url': 'https://flotilla.test:9443', 'api-prefix': 'k' });
    expect(server.url).toBe('https://flotilla.test:9443');
    const config = load(await bench.read('admin.kubeconfig')) as { clusters: { cluster: { server: string } }[] };
    expect(config.clusters.map(({ cluster }) => cluster.server)).toEqual([
      'https://flotilla.test:9443/k/management',
      'https://flotilla.test:9443/k/cluster/local',
    ]);
  });

  it('completes a first start that was interrupted before the kubeconfig was written', async () => {
    await bench.stop(await bench.start());
    await rm(bench.file('admin.kubeconfig'));
    const server = await bench.start();
    expect(await bench.read('admin.kubeconfig')).toContain(`${server.url}/kubernetes/management`);
  });
});

describe('a start that fails', () => {
  it('reports that the port is in use, and releases the data directory', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(bench.start({ listen: `127.0.0.1:${port}` })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the port is in use by another process`,
    );
    other.close();
    await bench.start();
  });

  it('reports that the data directory is in use', async () => {
    await bench.start();
    await expect(bench.start()).rejects.toThrow(/data directory .* is in use by another process/);
  });

  itExceptOnEtcd('reports a store that was deleted', 'the store is not in the data directory', async () => {
    await bench.stop(await bench.start());
    await rm(bench.file('store'), { recursive: true });
    await expect(bench.start()).rejects.toThrow(/^the store .* is missing: restore the data directory from a backup/);
  });

  itExceptOnEtcd('rejects the store of another installation', 'etcd-start.etcd.test.ts tests it', async () => {
    await bench.stop(await bench.start());
    const other = join(bench.root, 'other');
    await bench.stop(await bench.start({ 'data-dir': other }));
    await rm(bench.file('store'), { recursive: true });
    await cp(join(other, 'store'), bench.file('store'), { recursive: true });
    await expect(bench.start()).rejects.toThrow('the store belongs to another installation');
  });

  it('rejects a store whose seal key is missing or wrong', async () => {
    await bench.stop(await bench.start());
    const key = await bench.read('seal.key');
    await rm(bench.file('seal.key'));
    await expect(bench.start()).rejects.toThrow('the seal key of this store is missing');
    await writeFile(bench.file('seal.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    await expect(bench.start()).rejects.toThrow('is not the seal key of this store');
    await writeFile(bench.file('seal.key'), key);
    await bench.start();
  });

  it('reports a file that the operating system denied with a one-line message', async () => {
    await mkdir(bench.file('admin.key'), { recursive: true });
    await expect(bench.start()).rejects.toMatchObject({
      name: 'StartError',
      message: `cannot use ${bench.file('admin.key')}: it is a directory`,
    });
  });

  it('rejects a memory store if the directory contains a store', async () => {
    await bench.stop(await bench.start());
    await expect(bench.start({ store: 'memory' })).rejects.toThrow('already contains a store');
  });
});

describe('a server with a memory store', () => {
  it('is empty at each start, with a valid key', async () => {
    const first = await bench.start({ store: 'memory' });
    const key = await bench.adminKey();
    await bench.stop(first);
    const second = await bench.start({ store: 'memory' });
    expect(await bench.adminKey()).not.toBe(key);
    expect(await bench.read('admin.kubeconfig')).toContain(await bench.adminKey());
    expect((await bench.send(second, `${groupPath}/users/admin`)).code).toBe(200);
    expect((await bench.send(second, `${groupPath}/users/admin`, { token: key })).code).toBe(401);
  });
});

describe('the router', () => {
  it('serves version and health without a key, and nothing else', async () => {
    const server = await bench.start();
    const open = ['/version', '/healthz', '/livez', '/readyz/shutdown', '/auth/jwks'];
    const guarded = ['/metrics', '/backup', '/kubernetes/management/version', `${groupPath}/users`];
    for (const path of open) expect((await bench.send(server, path, { token: '' })).code, path).toBe(200);
    for (const path of guarded) {
      expect((await bench.send(server, path, { token: '' })).code, path).toBe(401);
      expect((await bench.send(server, path)).code, path).toBe(200);
    }
    expect((await bench.send(server, '/kubernetes/cluster/local/api', { token: '' })).code).toBe(401);
    expect((await bench.send(server, '/nowhere')).json).toMatchObject({ kind: 'Status', code: 404 });
    expect((await bench.send(server, '/auth/jwks')).text).not.toContain('"d"');
  });

  it('uses the configured API prefix', async () => {
    const server = await bench.start({ 'api-prefix': 'k' });
    expect((await bench.send(server, '/k/management/version')).code).toBe(200);
    expect((await bench.send(server, '/kubernetes/management/version')).code).toBe(404);
  });
});
