import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Kubeconfig } from '../../../api/kubeconfig.ts';
import { StatusError } from '../../../api/status.ts';
import { ManualClock, systemClock } from '../../../lib/clock.ts';
import { bodyText, statusErrorOf, testApiRequest } from '../observe/api-request.fixture.ts';
import { ApiServerTestEnv, testKeyPairs } from './api-server.fixture.ts';
import { connectToHost, type HostConnection, type HostConnectionOptions } from './host-connection.ts';

let bench: ApiServerTestEnv;
const open: HostConnection[] = [];

beforeEach(async () => {
  bench = await ApiServerTestEnv.start();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  await bench.close();
});

function connect(more: Partial<Kubeconfig> = {}, options: Partial<HostConnectionOptions> = {}): HostConnection {
  const connection = connectToHost({ ...bench.kubeconfig, ...more }, { clock: systemClock, ...options });
  open.push(connection);
  return connection;
}

test('an invalid HTTP request is a 400 and not a fault of the cluster', async () => {
  const { api } = connect();
  expect((await statusErrorOf(api.send(testApiRequest({ method: 'CONNECT' })))).code).toBe(400);
  expect((await statusErrorOf(api.send(testApiRequest({ headers: { accept: 'a\u0001' } })))).code).toBe(400);
  async function* nothing() {}
  await bodyText(
    await api.send(testApiRequest({ method: 'POST', body: nothing(), headers: { 'content-length': '0' } })),
  );
  expect(bench.last.headers['content-length']).toBe('0');
  expect(bench.seen).toHaveLength(1);
});

test('no method is forwarded with which a server would return the credentials that it received', async () => {
  const { api } = connect();
  for (const method of ['TRACE', 'trace', 'TRACK']) {
    expect((await statusErrorOf(api.send(testApiRequest({ method })))).code, method).toBe(400);
  }
  expect(bench.seen).toHaveLength(0);
});

test('a request body that fails reports its own error', async () => {
  async function* body() {
    yield Buffer.alloc(100_000, 'x');
    throw new Error('the client is gone');
  }
  await expect(connect().api.send(testApiRequest({ method: 'POST', body: body() }))).rejects.toThrow(
    'the client is gone',
  );
});

test('a read is retried if the server closed the idle connection', async () => {
  const { api } = connect();
  await bodyText(await api.send(testApiRequest()));
  let first = true;
  bench.respond = (_, response) => {
    if (first) response.socket?.destroy();
    else response.end('again');
    first = false;
  };
  expect(await bodyText(await api.send(testApiRequest()))).toBe('again');
  first = true;
  const error = await statusErrorOf(api.send(testApiRequest({ method: 'DELETE' })));
  expect([error.code, error.message]).toEqual([
    503,
    `127.0.0.1:${bench.port} closed the connection without a response`,
  ]);
});

test('rejected server credentials are a 503, and a rejected token of the caller is a 401', async () => {
  const { api, own } = connect({ token: 'old' });
  bench.respond = (_, response) => {
    response.statusCode = 401;
    response.end('{"kind":"Status","code":401}');
  };
  const error = await statusErrorOf(api.send(testApiRequest()));
  expect(error.code).toBe(503);
  expect(error.message).toBe(`127.0.0.1:${bench.port} rejected the credentials that this server has for it`);
  expect((await api.send(testApiRequest({ as: { token: 'mine' } }))).status).toBe(401);
  expect((await own.send(testApiRequest())).status).toBe(401);
  const application = '/api/v1/namespaces/a/services/https:web:443/proxy/login';
  expect((await api.send(testApiRequest({ path: application }))).status).toBe(401);
});

async function listening(onConnection: (server: Server) => void = () => {}): Promise<Server> {
  const server = createServer();
  onConnection(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('a connection failure reports its reason and never a credential', async () => {
  const { other } = await testKeyPairs();
  const silent = await listening();
  const { port } = silent.address() as AddressInfo;
  silent.close();
  await once(silent, 'close');
  const cases: [Partial<Kubeconfig>, string][] = [
    [{ server: `https://127.0.0.1:${port}` }, `127.0.0.1:${port} refused the connection: nothing is listening there`],
    [{ server: 'https://no-such-host.invalid' }, 'no-such-host.invalid cannot be found: its name does not resolve'],
    [
      { certificateAuthority: other.cert },
      `127.0.0.1:${bench.port} presents a certificate that is not signed by the certificate authority`,
    ],
    [{ tlsServerName: 'example.com' }, `127.0.0.1:${bench.port} presents a certificate for a different name`],
  ];
  for (const [more, message] of cases) {
    const error = await statusErrorOf(connect({ ...more, token: 'sesame' }).own.send(testApiRequest()));
    expect([error.code, error.message]).toEqual([503, message]);
  }
});

test('a server that does not speak TLS is reported as such', async () => {
  const plain = await listening((server) =>
    server.on('connection', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  const { port } = plain.address() as AddressInfo;
  const error = await statusErrorOf(connect({ server: `https://127.0.0.1:${port}` }).own.send(testApiRequest()));
  expect(error.message).toBe(`127.0.0.1:${port} does not speak TLS`);
  plain.close();
});

test('the certificate is checked against tlsServerName, or not at all with insecureSkipTlsVerify', async () => {
  await bodyText(await connect({ tlsServerName: 'localhost' }).own.send(testApiRequest()));
  const { other } = await testKeyPairs();
  const careless = { server: bench.kubeconfig.server, insecureSkipTlsVerify: true, certificateAuthority: other.cert };
  await bodyText(await connect(careless).own.send(testApiRequest()));
  expect(bench.seen).toHaveLength(2);
});

test('invalid keys are rejected before any connection', async () => {
  const { client, other } = await testKeyPairs();
  for (const more of [
    { clientCertificate: client.cert, clientKey: other.key },
    { clientCertificate: 'x', clientKey: 'y' },
    { certificateAuthority: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
  ]) {
    expect(() => connect(more)).toThrow(StatusError);
  }
});

test('a connection attempt and a response head each have a timeout', async () => {
  const clock = new ManualClock();
  const mute = await listening((server) => server.on('connection', (socket) => socket.on('error', () => {})));
  const { port } = mute.address() as AddressInfo;
  const connected = once(mute, 'connection');
  const sent = statusErrorOf(connect({ server: `https://127.0.0.1:${port}` }, { clock }).own.send(testApiRequest()));
  await connected;
  clock.advance(10_000);
  expect((await sent).message).toBe(`127.0.0.1:${port} did not accept a connection within 10 s`);
  mute.close();

  bench.respond = () => {};
  const slow = statusErrorOf(connect({}, { answerTimeout: 1000 }).own.send(testApiRequest()));
  expect((await slow).message).toBe(`127.0.0.1:${bench.port} did not respond within 1 s`);
});

test('closing ends open requests, and later requests fail', async () => {
  const connection = connect();
  bench.respond = (_, response) => response.write('one');
  const answer = await connection.own.send(testApiRequest());
  const reading = bodyText(answer);
  await connection.close();
  const words = `the connection to 127.0.0.1:${bench.port} is closed`;
  expect((await statusErrorOf(reading)).message).toBe(words);
  expect((await statusErrorOf(connection.own.send(testApiRequest()))).message).toBe(words);
  expect((await statusErrorOf(connection.own.upgrade(testApiRequest({ headers: { upgrade: 'x' } })))).message).toBe(
    words,
  );
});
