import { readFile, rm } from 'node:fs/promises';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServerTestEnv } from '../server.fixture.ts';
import { printAdminKey } from './print-admin-key.ts';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  await bench.start();
});
afterEach(() => bench.close());

const print = (what: string, server?: string) => printAdminKey({ dataDir: bench.dataDir, what, server });

describe('the credentials of the administrator', () => {
  it('are printed as they are in the data directory of a running server', async () => {
    expect((await print('key')).trim()).toBe(await bench.adminKey());
    expect(await print('kubeconfig')).toBe(await readFile(bench.file('admin.kubeconfig'), 'utf8'));
  });

  it('are printed with another address of the server', async () => {
    const original = load(await print('kubeconfig')) as { clusters: { cluster: { server: string } }[] };
    const moved = load(await print('kubeconfig', 'https://127.0.0.1:9443/')) as typeof original;
    expect(moved.clusters.map(({ cluster }) => cluster.server)).toEqual([
      'https://127.0.0.1:9443/kubernetes/management',
      'https://127.0.0.1:9443/kubernetes/cluster/local',
    ]);
    for (const { cluster } of [...original.clusters, ...moved.clusters]) cluster.server = '';
    expect(moved).toEqual(original);
  });

  it('are not printed if the files are gone, and the message says how to get a new key', async () => {
    await rm(bench.file('admin.key'));
    await expect(print('key')).rejects.toThrow(/admin\.key does not exist: .*run "flotilla admin-key --data-dir/);
  });

  it.each([
    ['password', undefined, '--print: "password" is not one of key, kubeconfig'],
    ['key', 'https://127.0.0.1:9443', '--server needs --print kubeconfig'],
    [
      'kubeconfig',
      'http://127.0.0.1:9443',
      '--server: "http://127.0.0.1:9443" is not https://host or https://host:port',
    ],
  ])('are not printed as %s for the address %s', async (what, server, message) => {
    await expect(print(what, server)).rejects.toThrow(message);
  });
});
