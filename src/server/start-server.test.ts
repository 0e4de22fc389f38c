import { once } from 'node:events';
import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultProject, projectNamespace } from '../api/naming.ts';
import { groupPath, ServerBench } from './server.fixture.ts';

let bench: ServerBench;
beforeEach(async () => {
  bench = await ServerBench.open();
});
afterEach(() => bench.close());

describe('the first start', () => {
  it('makes the files of completions §1, each for its owner alone', async () => {
    await bench.start();
    const files = await readdir(bench.dataDir);
    expect(files.sort()).toEqual([
      'admin.key',
      'admin.kubeconfig',
      'audit.log',
      'ca.crt',
      'ca.key',
      'installation.json',
      'seal.key',
      'serving.crt',
      'serving.key',
      'signing.key',
      'store',
    ]);
    for (const name of files) {
      expect((await stat(bench.file(name))).mode & 0o777, name).toBe(name === 'store' ? 0o700 : 0o600);
    }
  });

  it('makes the objects of completions §1, and the admin key opens them', async () => {
    const server = await bench.start();
    expect(await bench.names(server, 'users')).toEqual(['admin']);
    expect(await bench.names(server, 'projects')).toEqual(['default']);
    expect(await bench.names(server, 'clusters')).toEqual(['local']);
    expect(await bench.names(server, 'virtualclustertemplates')).toEqual(['control-plane']);
    const namespace = `/kubernetes/management/api/v1/namespaces/${projectNamespace(defaultProject)}`;
    expect((await bench.ask(server, namespace)).code).toBe(200);
  });
});

describe('a later start', () => {
  it('changes no object and no file but the address in admin.kubeconfig', async () => {
    const first = await bench.start();
    const objects = await bench.objects(first);
    await bench.stop(first);
    const before = new Map<string, string>();
    for (const name of await readdir(bench.dataDir)) if (name !== 'store') before.set(name, await bench.read(name));

    const second = await bench.start();
    expect(second.url).not.toBe(first.url);
    expect(await bench.objects(second)).toEqual(objects);
    before.set('admin.kubeconfig', before.get('admin.kubeconfig')?.replaceAll(first.url, second.url) ?? '');
    before.delete('audit.log');
    for (const [name, text] of before) expect(await bench.read(name), name).toBe(text);
  });

  it('names the external URL in kubeconfigs once there is one', async () => {
    await bench.stop(await bench.start());
    const server = await bench.start({ 'external-url': 'https://flotilla.test:9443', 'api-prefix': 'k' });
    expect(server.url).toBe('https://flotilla.test:9443');
    const config = load(await bench.read('admin.kubeconfig')) as { clusters: { cluster: { server: string } }[] };
    expect(config.clusters.map(({ cluster }) => cluster.server)).toEqual([
      'https://flotilla.test:9443/k/management',
      'https://flotilla.test:9443/k/cluster/local',
    ]);
  });

  it('goes on where a first start was cut short before the kubeconfig was written', async () => {
    await bench.stop(await bench.start());
    await rm(bench.file('admin.kubeconfig'));
    const server = await bench.start();
    expect(await bench.read('admin.kubeconfig')).toContain(`${server.url}/kubernetes/management`);
  });
});

describe('a start that cannot be', () => {
  it('says that the port is in use, and lets go of the data directory', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(bench.start({ listen: `127.0.0.1:${port}` })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the port is in use by another process`,
    );
    other.close();
    await bench.start();
  });

  it('says that the data directory is held', async () => {
    await bench.start();
    await expect(bench.start()).rejects.toThrow(/data directory .* is in use by another process/);
  });

  it('refuses the store of another installation', async () => {
    await bench.stop(await bench.start());
    const other = join(bench.root, 'other');
    await bench.stop(await bench.start({ 'data-dir': other }));
    await rm(bench.file('store'), { recursive: true });
    await cp(join(other, 'store'), bench.file('store'), { recursive: true });
    await expect(bench.start()).rejects.toThrow('the store belongs to another installation');
  });

  it('refuses a store whose seal key is missing or another one', async () => {
    await bench.stop(await bench.start());
    const key = await bench.read('seal.key');
    await rm(bench.file('seal.key'));
    await expect(bench.start()).rejects.toThrow('the seal key of this store is not there');
    await writeFile(bench.file('seal.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    await expect(bench.start()).rejects.toThrow('is not the seal key of this store');
    await writeFile(bench.file('seal.key'), key);
    await bench.start();
  });

  it('says in one line which file the operating system refused', async () => {
    await mkdir(bench.file('admin.key'), { recursive: true });
    await expect(bench.start()).rejects.toMatchObject({
      name: 'StartError',
      message: `${bench.file('admin.key')} cannot be used: it is a directory`,
    });
  });

  it('refuses to serve from memory where there is a store', async () => {
    await bench.stop(await bench.start());
    await expect(bench.start({ store: 'memory' })).rejects.toThrow('has a store of its own');
  });
});

describe('a server in memory', () => {
  it('begins anew at each start, with a key that works', async () => {
    const first = await bench.start({ store: 'memory' });
    const key = await bench.adminKey();
    await bench.stop(first);
    const second = await bench.start({ store: 'memory' });
    expect(await bench.adminKey()).not.toBe(key);
    expect(await bench.read('admin.kubeconfig')).toContain(await bench.adminKey());
    expect((await bench.ask(second, `${groupPath}/users/admin`)).code).toBe(200);
    expect((await bench.ask(second, `${groupPath}/users/admin`, { token: key })).code).toBe(401);
  });
});

describe('the address space', () => {
  it('answers for the process itself without a key, and for nothing else', async () => {
    const server = await bench.start();
    const open = ['/version', '/healthz', '/livez', '/readyz/shutdown', '/auth/jwks'];
    const guarded = ['/metrics', '/backup', '/kubernetes/management/version', `${groupPath}/users`];
    for (const path of open) expect((await bench.ask(server, path, { token: '' })).code, path).toBe(200);
    for (const path of guarded) {
      expect((await bench.ask(server, path, { token: '' })).code, path).toBe(401);
      expect((await bench.ask(server, path)).code, path).toBe(200);
    }
    expect((await bench.ask(server, '/kubernetes/cluster/local/api', { token: '' })).code).toBe(401);
    expect((await bench.ask(server, '/nowhere')).json).toMatchObject({ kind: 'Status', code: 404 });
    expect((await bench.ask(server, '/auth/jwks')).text).not.toContain('"d"');
  });

  it('lies under another prefix where it is set', async () => {
    const server = await bench.start({ 'api-prefix': 'k' });
    expect((await bench.ask(server, '/k/management/version')).code).toBe(200);
    expect((await bench.ask(server, '/kubernetes/management/version')).code).toBe(404);
  });
});
