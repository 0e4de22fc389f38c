import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../test/harness/suite.ts';
import { EtcdCluster, noEtcd } from '../../store/etcd/etcd.fixture.ts';
import { rotateSigningKey } from '../auth/rotate-signing-key.ts';
import { groupPath, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let cluster: EtcdCluster;
let bench: ServerTestEnv;
let prefixes = 0;
let flags: Record<string, string>;

beforeAll(async () => {
  cluster = await EtcdCluster.start();
});
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  flags = { store: cluster.endpoints, 'etcd-prefix': `secrets/${prefixes++}` };
});
afterEach(() => bench.close());
afterAll(async () => {
  await cluster.stop();
});

const directory = (name: string) => join(bench.root, name);
const start = (name: string, more: Record<string, string> = {}) =>
  bench.start({ ...flags, 'data-dir': directory(name), ...more });
const fileOf = (name: string, file: string) => readFile(join(directory(name), file), 'utf8');

async function kidsAt(server: RunningServer): Promise<string[]> {
  const { body } = await bench.request(server, '/auth/jwks', { token: '' });
  return ((await body.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

describeIfAvailable(noEtcd, 'servers on a new etcd prefix', () => {
  it('that start at the same moment with one seal key agree on all secrets and on one admin key', async () => {
    const sealKey = directory('shared.key');
    await writeFile(sealKey, `${Buffer.alloc(32, 3).toString('base64')}\n`, { mode: 0o600 });
    const names = ['a', 'b', 'c'];
    const servers = await Promise.all(names.map((name) => start(name, { 'seal-key-file': sealKey })));
    for (const file of ['ca.crt', 'ca.key', 'signing.key']) {
      expect(new Set(await Promise.all(names.map((name) => fileOf(name, file)))).size, file).toBe(1);
    }
    const files = await Promise.all(names.map((name) => readdir(directory(name))));
    const withKey = names.filter((_, index) => files[index]?.includes('admin.key'));
    expect(withKey).toHaveLength(1);
    bench.dataDir = directory(withKey[0] ?? '');
    for (const server of servers) expect(await bench.names(server, 'users')).toEqual(['admin']);
  });

  it('that start at the same moment without a seal key: one starts, the others name what is missing', async () => {
    const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => start(name)));
    const lost = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(lost).toHaveLength(2);
    for (const message of lost) expect(message).toMatch(/seal key of this store.*copy/);
    const files = await Promise.all(['a', 'b', 'c'].map((name) => readdir(directory(name)).catch(() => [])));
    expect(files.flat().filter((file) => file === 'seal.key')).toHaveLength(1);
  });

  it('join with copies of the files of the first one, and a rotation reaches them within a second', async () => {
    bench.dataDir = directory('a');
    const first = await start('a');
    await mkdir(directory('b'), { mode: 0o700 });
    for (const file of ['seal.key', 'signing.key', 'ca.crt', 'ca.key']) {
      await cp(join(directory('a'), file), join(directory('b'), file));
    }
    const second = await start('b');
    const body = {};
    const token = await bench.send(second, `${groupPath}/directclusterendpointtokens`, { method: 'POST', body });
    expect(textAt(token.json, 'status', 'token')).not.toBe('');
    const [old] = await kidsAt(first);
    await expect(rotateSigningKey({ dataDir: directory('b') })).rejects.toThrow('there is no admin.kubeconfig in');
    expect(await kidsAt(second)).toEqual([old]);
    expect(await rotateSigningKey({ dataDir: directory('a'), revoke: true })).toContain('revoked');
    expect(await kidsAt(second)).toEqual(await kidsAt(first));
    expect(await kidsAt(second)).not.toContain(old);
    const copied = async () =>
      (JSON.parse(await fileOf('b', 'signing.key')) as { keys: { kid: string }[] }).keys[0]?.kid;
    await expect.poll(copied, { timeout: 1_000 }).toBe((await kidsAt(first))[0]);
    await bench.stop(first);
    await bench.stop(second);
    await expect(rotateSigningKey({ dataDir: directory('a') })).rejects.toThrow(
      /no server is running at .*; the signing keys are in etcd, so a server must run to rotate them/,
    );
  });

  it('with another seal key is refused, and writes nothing', async () => {
    bench.dataDir = directory('a');
    const server = await start('a');
    await mkdir(directory('b'), { mode: 0o700 });
    await writeFile(join(directory('b'), 'seal.key'), `${Buffer.alloc(32, 4).toString('base64')}\n`, { mode: 0o600 });
    await expect(start('b')).rejects.toThrow('is not the seal key of this store');
    await expect(start('c')).rejects.toThrow('the seal key of this store is missing');
    expect(await bench.names(server, 'users')).toEqual(['admin']);
  });
});
