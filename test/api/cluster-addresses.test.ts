import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupPath, mergePatch, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;
let listener: Server;
let connections = 0;

beforeAll(async () => {
  bench = await ServerTestEnv.open();
  bench.deniesLoopback = true;
  server = await bench.start();
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
});
afterAll(async () => {
  await bench.close();
  listener.close();
});

const kubeconfigOf = (address: string, proxy?: string) =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: address, ...(proxy === undefined ? {} : { 'proxy-url': proxy }) } }],
    users: [{ name: 'u', user: { token: 'not-a-secret' } }],
  });

async function connectCluster(address: string, proxy?: string) {
  const body = { metadata: { name: 'europe' }, spec: { kubeconfig: kubeconfigOf(address, proxy) } };
  return await bench.send(server, `${groupPath}/clusters?dryRun=All`, { method: 'POST', body });
}

/**
 * Opens a connection, which the listener accepts after all earlier ones. Returns the number of connections so far,
 * including this one.
 */
async function connectionsUntilNow(port: number): Promise<number> {
  await once(connect(port, '127.0.0.1').resume(), 'close');
  return connections;
}

describe('the kubeconfig of a cluster', () => {
  it.each([
    ['https://127.0.0.1:PORT', /spec\.kubeconfig.*127\.0\.0\.1:\d+ is not used.*hosts\.deniedCIDRs/],
    ['https://localhost:PORT', /localhost:\d+ is not used.*hosts\.deniedCIDRs/],
    ['https://2130706433:PORT', /hosts\.deniedCIDRs/],
    ['https://[::ffff:127.0.0.1]:PORT', /hosts\.deniedCIDRs/],
    ['https://0.0.0.0:PORT', /hosts\.deniedCIDRs/],
    ['https://[::1]:PORT', /hosts\.deniedCIDRs/],
    ['https://169.254.169.254', /hosts\.deniedCIDRs/],
    ['http://10.0.0.1', /hosts\.allowPlainHttp/],
  ])('with the server %s is rejected without a connection', async (address, message) => {
    const { port } = listener.address() as AddressInfo;
    const { code, text } = await connectCluster(address.replace('PORT', String(port)));
    expect(code).toBe(422);
    expect(text).toMatch(message);
    expect(connections).toBe(0);
  });

  it('is rejected if its proxy, or an address behind a proxy, is denied', async () => {
    const { port } = listener.address() as AddressInfo;
    const proxy = `http://localhost:${port}`;
    expect(await connectCluster('https://cluster.example', proxy)).toMatchObject({ code: 422 });
    expect(await connectCluster('https://169.254.169.254', proxy)).toMatchObject({ code: 422 });
    expect(connections).toBe(0);
  });

  it('is checked again for each connection, so that a stored one stops working when its address is denied', async () => {
    const { port } = listener.address() as AddressInfo;
    await bench.stop(server);
    bench.deniesLoopback = false;
    server = await bench.start();
    const spec = { kubeconfig: kubeconfigOf(`https://localhost:${port}`) };
    const body = { metadata: { generateName: 'stored-' }, spec };
    const created = await bench.send(server, `${groupPath}/clusters`, { method: 'POST', body });
    expect(created.code, created.text).toBe(201);
    await bench.stop(server);
    const before = await connectionsUntilNow(port);
    expect(before).toBeGreaterThan(1);
    bench.deniesLoopback = true;
    server = await bench.start();
    const stored = `${groupPath}/clusters/${textAt(created.json, 'metadata', 'name')}`;
    const message = async () => (await bench.send(server, stored)).text;
    await bench.send(server, stored, mergePatch({ spec: { displayName: 'Stored' } }));
    await expect.poll(message, { timeout: 20_000 }).toContain('hosts.deniedCIDRs');
    expect(await connectionsUntilNow(port)).toBe(before + 1);
  });
});
