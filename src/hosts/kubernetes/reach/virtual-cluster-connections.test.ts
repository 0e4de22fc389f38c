import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeBase64 } from '../../../api/decode/base64.ts';
import { writeKubeconfig } from '../../../api/kubeconfig.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { silentLog } from '../../../lib/log.ts';
import { defaultDeniedCIDRs, OutgoingAddresses } from '../../../lib/outgoing-addresses.ts';
import type { ApiRequest } from '../../host.ts';
import { bodyText, testApiRequest } from '../observe/api-request.fixture.ts';
import { ApiServerTestEnv, testKeyPairs } from './api-server.fixture.ts';
import type { VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import { type ForwardedPorts, forwardPorts } from './forwarded-port.fixture.ts';
import { connectToHost, type HostConnection } from './host-connection.ts';
import { openVirtualClusterConnections, type VirtualClusterConnections } from './virtual-cluster-connections.ts';

let host: ApiServerTestEnv;
let inside: ApiServerTestEnv;
let ports: ForwardedPorts;
let secret: { status: number; data: Record<string, string> };
let endpoint: VirtualClusterEndpoint | undefined;
let connection: HostConnection;
let clock: ManualClock;
let ways: VirtualClusterConnections;

const place = { namespace: 'ns', name: 'vc' };

beforeEach(async () => {
  const { client } = await testKeyPairs();
  [host, inside] = await Promise.all([ApiServerTestEnv.start(), ApiServerTestEnv.start()]);
  ports = forwardPorts(host, () => inside.port);
  secret = { status: 200, data: certificates(inside.pair.cert, client) };
  host.respond = ({ url }, response) => {
    response.statusCode = url === '/api/v1/namespaces/ns/secrets/vc-vc' ? secret.status : 500;
    response.end(JSON.stringify({ kind: 'Secret', data: secret.data, message: 'secrets "vc-vc" is forbidden' }));
  };
  inside.respond = ({ certificate, headers }, response) => {
    // Rejects an unknown client certificate, like a Kubernetes API server.
    response.statusCode = certificate === 'client' || headers.authorization !== undefined ? 200 : 401;
    response.end('from inside');
  };
  endpoint = {
    uid: 'u1',
    service: { type: 'ClusterIP', clusterIP: 'None', ingress: [], port: 443 },
    pods: ['vc-0'],
    podPort: 8443,
    secret: 'vc-vc',
  };
  clock = new ManualClock();
  connection = connectToHost({ ...host.kubeconfig, token: 'sesame' }, { clock });
  reopen(false);
});

afterEach(async () => {
  await ways.close();
  await connection.close();
  await Promise.all([host.close(), inside.close()]);
});

function reopen(direct: boolean): void {
  ways = openVirtualClusterConnections({ connection, clock, log: silentLog, direct, endpointOf: () => endpoint });
}

function certificates(authority: string, client: { cert: string; key: string }): Record<string, string> {
  return {
    'certificate-authority': encodeBase64(authority),
    'client-certificate': encodeBase64(client.cert),
    'client-key': encodeBase64(client.key),
  };
}

const ask = async (more: Partial<ApiRequest> = {}) => bodyText(await ways.apiOf(place).send(testApiRequest(more)));
const reads = () => host.seen.filter(({ url }) => url.includes('/secrets/')).length;

test('a request goes through the host to a pod with the secret’s certificate and impersonates the caller', async () => {
  expect(await ask()).toBe('from inside');
  expect(inside.last).toMatchObject({
    certificate: 'client',
    url: '/api',
    headers: { 'impersonate-user': 'jane' },
  });
  expect(inside.last.headers).not.toHaveProperty('authorization');
  expect(ports.pods).toEqual(['vc-0']);
});

test('the next request reuses the secret and the connection', async () => {
  for (let at = 0; at < 10; at++) await ask();
  expect(reads()).toBe(1);
  expect(ports.pods.length).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 20 }, () => ask()));
  expect(reads()).toBe(1);
});

test('a token of the virtual cluster itself is sent without the certificate', async () => {
  await ask({ as: { token: 'of-the-account' } });
  expect(inside.last).toMatchObject({ certificate: '', headers: { authorization: 'Bearer of-the-account' } });
  expect(inside.last.headers).not.toHaveProperty('impersonate-user');
});

test('a secret with only a kubeconfig works', async () => {
  const { client } = await testKeyPairs();
  const server = 'https://localhost:8443';
  const certificateAuthority = inside.pair.cert;
  const kept = { server, certificateAuthority, clientCertificate: client.cert, clientKey: client.key };
  secret.data = { config: encodeBase64(writeKubeconfig(kept)) };
  await ask();
  expect(inside.last.certificate).toBe('client');
  await ways.close();
  reopen(false);
  secret.data = { config: encodeBase64(writeKubeconfig({ server, certificateAuthority, token: 'admin' })) };
  await ask();
  expect(inside.last).toMatchObject({
    certificate: '',
    headers: { authorization: 'Bearer admin', 'impersonate-user': 'jane' },
  });
});

test('an upgrade uses the same connection path', async () => {
  inside.onUpgrade = (_, socket) => {
    socket.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    socket.pipe(socket);
  };
  const upgraded = await ways.apiOf(place).upgrade(testApiRequest({ headers: { upgrade: 'SPDY/3.1' } }));
  if (!('socket' in upgraded)) throw new Error('no upgrade');
  expect(inside.last).toMatchObject({ certificate: 'client', headers: { 'impersonate-user': 'jane' } });
  upgraded.socket.write('to and fro');
  const [chunk] = (await once(upgraded.socket, 'data')) as [Buffer];
  expect(String(chunk)).toBe('to and fro');
  upgraded.socket.destroy();
});

test('replaced credentials are read again after a change or after a rejection', async () => {
  const { client, other } = await testKeyPairs();
  await ask();
  secret.data = certificates(inside.pair.cert, other);
  inside.respond = ({ certificate }, response) => {
    response.statusCode = certificate === 'other' ? 200 : 401;
    response.end('renewed');
  };
  expect(await ask()).toBe('renewed');
  expect(reads()).toBe(2);
  inside.respond = ({ certificate }, response) => {
    response.statusCode = certificate === 'client' ? 200 : 401;
    response.end('once more');
  };
  secret.data = certificates(inside.pair.cert, client);
  ways.handleChange(place);
  expect(await ask()).toBe('once more');
  expect(reads()).toBe(3);
});

test('a change that does not affect the credentials keeps open connections', async () => {
  inside.respond = (_, response) => response.write('one');
  const answer = await ways.apiOf(place).send(testApiRequest({ path: '/api/v1/pods?watch=true' }));
  const chunks = answer.body[Symbol.asyncIterator]();
  await chunks.next();
  ways.handleChange(place);
  inside.respond = (_, response) => response.end('two');
  expect(await ask()).toBe('two');
  expect(reads()).toBe(2);
  expect(ports.open.size).toBe(2);
  await chunks.return?.();
});

test('a permanent rejection is reported as a problem of this server’s credentials, not of the caller’s', async () => {
  inside.respond = (_, response) => {
    response.statusCode = 401;
    response.end();
  };
  await expect(ask()).rejects.toMatchObject({
    code: 503,
    message: 'the virtual cluster ns/vc rejected the credentials that this server has for it',
  });
  await ask({ as: { token: 'old' } });
});

test.each([
  [404, {}, 'the secret ns/vc-vc does not exist yet: the virtual cluster creates it once it has started'],
  [403, {}, 'the secret ns/vc-vc cannot be read: secrets "vc-vc" is forbidden'],
  [200, { config: 'eA==' }, 'the secret ns/vc-vc contains no credentials'],
])('an unusable secret (%i) is reported', async (status, data, message) => {
  secret = { status, data };
  await expect(ask()).rejects.toMatchObject({ code: 503, message });
});

test('a server with a certificate of another authority is rejected', async () => {
  const { client, other } = await testKeyPairs();
  secret.data = certificates(other.cert, client);
  await expect(ask()).rejects.toThrow('presents a certificate that is not signed by the certificate authority');
  expect(inside.seen).toEqual([]);
});

test('a request fails without a ready pod and skips a pod that is gone', async () => {
  if (endpoint === undefined) throw new Error('none');
  endpoint = { ...endpoint, pods: [] };
  await expect(ask()).rejects.toThrow('the virtual cluster ns/vc has no ready pod');
  endpoint = { ...endpoint, pods: ['gone-0', 'vc-1'] };
  ports.portOf = (pod) => (pod === 'vc-1' ? inside.port : undefined);
  expect(await ask()).toBe('from inside');
  ports.portOf = () => undefined;
  inside.closeConnections();
  await expect(ask()).rejects.toMatchObject({ code: 503, message: expect.stringContaining('not found') });
});

test('a connection is closed with its pod, and all of them with the virtual cluster', async () => {
  if (endpoint === undefined) throw new Error('none');
  inside.respond = (_, response) => response.write('one');
  const watch = async () => {
    const { body } = await ways.apiOf(place).send(testApiRequest({ path: '/api/v1/pods?watch=true' }));
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    return chunks;
  };
  const first = await watch();
  endpoint = { ...endpoint, pods: ['vc-1'] };
  ways.handleChange(place);
  await expect(first.next()).rejects.toMatchObject({ code: 503 });
  const second = await watch();
  expect(ports.pods.at(-1)).toBe('vc-1');
  endpoint = { ...endpoint, uid: 'u2' };
  ways.handleChange(place);
  await expect(second.next()).rejects.toMatchObject({ code: 503 });
  const third = await watch();
  endpoint = undefined;
  ways.handleChange(place);
  await expect(third.next()).rejects.toMatchObject({ code: 503 });
  await expect(ask()).rejects.toThrow('the virtual cluster ns/vc does not exist');
});

test('a broken connection ends its responses, and the next request opens a new one', async () => {
  inside.respond = (_, response) => response.write('one');
  const { body } = await ways.apiOf(place).send(testApiRequest({ path: '/api/v1/pods?watch=true' }));
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next();
  for (const webSocket of ports.open) webSocket.send(Buffer.from('\x01the node has trouble'));
  await expect(chunks.next()).rejects.toMatchObject({ code: 503 });
  inside.respond = (_, response) => response.end('two');
  expect(await ask()).toBe('two');
});

/** A load balancer that forwards every connection to the virtual cluster. */
async function balancer(): Promise<Server> {
  const server = createServer((socket) => {
    const target = connectTcp({ host: '127.0.0.1', port: inside.port });
    socket.on('error', () => target.destroy()).on('close', () => target.destroy());
    target.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(target).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('a reachable service address is used without the host', async () => {
  if (endpoint === undefined) throw new Error('none');
  const server = await balancer();
  const { port } = server.address() as AddressInfo;
  const service = { type: 'LoadBalancer', clusterIP: '', ingress: [{ ip: '127.0.0.1' }], port };
  endpoint = { ...endpoint, service };
  reopen(true);
  expect(await ask()).toBe('from inside');
  expect(ports.pods).toEqual([]);
  expect(inside.last.certificate).toBe('client');
  server.close();
});

test('unreachable addresses fall back to port forwarding and are not tried for a while', async () => {
  if (endpoint === undefined) throw new Error('none');
  let tries = 0;
  const mute = createServer((socket) => {
    tries++;
    socket.on('error', () => {});
  });
  mute.listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  endpoint = {
    ...endpoint,
    service: { type: 'LoadBalancer', clusterIP: '', ingress: [{ hostname: 'localhost' }], port },
  };
  reopen(true);
  const connected = once(mute, 'connection');
  const first = ask();
  await connected;
  clock.advance(300);
  expect(await first).toBe('from inside');
  inside.closeConnections();
  while (ports.open.size > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await ask()).toBe('from inside');
  expect(tries).toBe(1);
  expect(ports.pods.length).toBeGreaterThanOrEqual(2);
  mute.close();
});

test('an address that refuses connections causes no delay', async () => {
  if (endpoint === undefined) throw new Error('none');
  endpoint = { ...endpoint, service: { type: 'ClusterIP', clusterIP: '127.0.0.1', ingress: [], port: 1 } };
  reopen(true);
  expect(await ask()).toBe('from inside');
});

test('an address in a denied range is not connected to', async () => {
  if (endpoint === undefined) throw new Error('none');
  let tries = 0;
  const internal = createServer(() => tries++);
  internal.listen(0, '127.0.0.1');
  await once(internal, 'listening');
  const { port } = internal.address() as AddressInfo;
  endpoint = {
    ...endpoint,
    service: { type: 'LoadBalancer', clusterIP: '', ingress: [{ ip: '127.0.0.1' }, { hostname: 'localhost' }], port },
  };
  connection = { ...connection, addresses: new OutgoingAddresses(defaultDeniedCIDRs) };
  reopen(true);
  expect(await ask()).toBe('from inside');
  expect(ports.pods).toEqual(['vc-0']);
  expect(tries).toBe(0);
  internal.close();
});

test('an idle connection is dropped', async () => {
  await ask();
  inside.closeConnections();
  for (let minute = 0; minute < 100; minute++) {
    clock.advance(60_000);
    // Wait until the closing of the connection is noticed.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ask();
  expect(reads()).toBe(2);
});

test('the signal aborts a request while the secret is being read', async () => {
  host.respond = () => {};
  const ending = new AbortController();
  const asked = ask({ signal: ending.signal });
  while (host.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  ending.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});

test('requests fail after close', async () => {
  await ask();
  await ways.close();
  await expect(ask()).rejects.toMatchObject({ code: 503 });
});
