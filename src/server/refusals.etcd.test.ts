import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../test/harness/suite.ts';
import { EtcdCluster, noEtcd } from '../store/etcd/etcd.fixture.ts';
import { TcpProxy } from '../store/etcd/tcp-proxy.fixture.ts';
import { groupPath, ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

let cluster: EtcdCluster;
let proxy: TcpProxy;
let bench: ServerTestEnv;
let agent: Agent;
let adminKey: string;
let servers: readonly RunningServer[];

beforeAll(async () => {
  cluster = await EtcdCluster.start();
  // Only the last server reaches etcd through the proxy.
  proxy = await TcpProxy.start(cluster.endpoints);
  bench = await ServerTestEnv.open();
  const store = { store: cluster.endpoints, 'etcd-prefix': 'refusals' };
  const first = await bench.start(store);
  const start = async (name: string, endpoints: string) => {
    const directory = join(bench.root, name);
    await mkdir(directory);
    await copyFile(bench.file('seal.key'), join(directory, 'seal.key'));
    return await bench.start({ ...store, store: endpoints, 'data-dir': directory });
  };
  servers = [first, await start('second', cluster.endpoints), await start('third', proxy.url)];
  adminKey = await bench.adminKey();
  agent = new Agent({ connect: { ca: await bench.read('ca.crt') } });
});

afterAll(async () => {
  if (noEtcd !== undefined) return;
  proxy.restore();
  await agent.close();
  await bench.close();
  await proxy.stop();
  await cluster.stop();
});

async function send(
  server: RunningServer | undefined,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  token = adminKey,
) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const [target, body] =
    method === 'POST'
      ? [path.slice(0, path.lastIndexOf('/')), JSON.stringify({ metadata: { name } })]
      : [path, undefined];
  const response = await request(`${server?.url}${target}`, {
    dispatcher: agent,
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  return { code: response.statusCode, text: await response.body.text(), retryAfter: response.headers['retry-after'] };
}

const keyPath = (name: string) => `${groupPath}/ownedaccesskeys/${name}`;

async function createKey(server: RunningServer | undefined, name: string): Promise<string> {
  const { code, text } = await send(server, 'POST', keyPath(name));
  expect(code, text).toBe(201);
  return textAt(JSON.parse(text), 'spec', 'key');
}

describeIfAvailable(noEtcd, 'three servers over etcd', () => {
  it('accept keys that any of them has created, at once', async () => {
    const refused: string[] = [];
    for (let count = 0; count < 300; count++) {
      const [creator, user] = [servers[count % 3], servers[(count + 1 + (count % 2)) % 3]];
      const key = await createKey(creator, `key-${count}`);
      const { code } = await send(user, 'GET', `${groupPath}/projects/default`, key);
      if (code !== 200) refused.push(`key-${count}: ${code}`);
      expect((await send(user, 'DELETE', keyPath(`key-${count}`))).code).toBe(200);
    }
    expect(refused).toEqual([]);
  });

  it('reject a revoked key within seconds, also a server that is cut off from etcd', async () => {
    const [first, , third] = servers;
    if (third === undefined) throw new Error('there are three servers');
    const key = await createKey(first, 'revoked');
    // This document is served without asking etcd.
    const read = () => send(third, 'GET', '/kubernetes/management/apis', key);
    expect((await read()).code).toBe(200);
    const watch = await bench.request(third, `${groupPath}/projects?watch=true`, {
      token: key,
    });
    proxy.cut(true);
    const cutAt = performance.now();
    expect((await send(first, 'DELETE', keyPath('revoked'))).code).toBe(200);
    let lastAccepted = 0;
    const codes = new Set<number>();
    while (performance.now() - cutAt < 4_000) {
      const { code, retryAfter } = await read();
      codes.add(code);
      if (code === 200) lastAccepted = performance.now() - cutAt;
      else expect(retryAfter).toBe('1');
    }
    expect([...codes]).toEqual([200, 503]);
    expect(lastAccepted).toBeLessThan(1_500);
    await watch.body.dump();
    expect(performance.now() - cutAt).toBeLessThan(6_000);
    proxy.restore();
    await expect.poll(async () => (await read()).code, { timeout: 10_000 }).toBe(401);
    await expect.poll(async () => (await send(third, 'GET', '/readyz')).code, { timeout: 10_000 }).toBe(200);
  });

  it('respond in time while etcd takes seconds for each answer, and continue afterwards', async () => {
    const [, , third] = servers;
    const timed = async (method: 'GET' | 'POST', path: string) => {
      const startedAt = performance.now();
      const { code, retryAfter } = await send(third, method, path);
      return { code, retryAfter, ms: performance.now() - startedAt };
    };
    for (const latency of [1_200, 2_500]) {
      proxy.latencyMs = latency;
      await expect.poll(async () => (await timed('GET', `${groupPath}/projects/default`)).code).toBe(503);
      for (let count = 0; count < 8; count++) {
        const path = `${groupPath}/${count % 2 === 0 ? 'projects/default' : `users/slow-${latency}-${count}`}`;
        const { code, retryAfter, ms } = await timed(count % 2 === 0 ? 'GET' : 'POST', path);
        expect(ms).toBeLessThan(5_000);
        if (code === 503) expect(retryAfter).toBeDefined();
        else expect([200, 201]).toContain(code);
      }
    }
    expect((await send(third, 'GET', '/livez')).code).toBe(200);
    proxy.latencyMs = 0;
    await expect.poll(async () => (await send(third, 'GET', '/readyz')).code, { timeout: 15_000 }).toBe(200);
    expect((await timed('POST', `${groupPath}/users/quick-again`)).code).toBe(201);
  });
});
