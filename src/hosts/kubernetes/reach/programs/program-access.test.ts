import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Kubeconfig, readKubeconfig } from '../../../../api/kubeconfig.ts';
import { ChangingName } from '../../../../lib/changing-name.fixture.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { defaultDeniedCIDRs, OutgoingAddresses } from '../../../../lib/outgoing-addresses.ts';
import { ApiServerTestEnv } from '../api-server.fixture.ts';
import { connectToHost, type HostConnection } from '../host-connection.ts';

const denied = '127.0.0.2';
const signal = new AbortController().signal;
const version = { method: 'GET', path: '/version', headers: {}, signal };

let bench: ApiServerTestEnv;
let name: ChangingName;
const open: HostConnection[] = [];
const servers: Server[] = [];
beforeEach(async () => {
  bench = await ApiServerTestEnv.start();
  name = new ChangingName('127.0.0.1');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await bench.close();
});

/** Connects like Flotilla's server, which must not connect to the denied address. */
function connect(kubeconfig: Partial<Kubeconfig>, allowPlainHttp = false, deniedCIDRs = [`${denied}/32`]) {
  const addresses = new OutgoingAddresses(deniedCIDRs, [], name.resolve);
  const connection = connectToHost(
    {
      ...bench.kubeconfig,
      server: `https://api.cluster.test:${bench.port}`,
      tlsServerName: 'localhost',
      ...kubeconfig,
    },
    { clock: systemClock, policy: { addresses, allowPlainHttp } },
  );
  open.push(connection);
  return connection;
}

/** The kubeconfig that a program gets. */
async function given(connection: HostConnection): Promise<Kubeconfig> {
  const { kubeconfig, fault } = readKubeconfig(await connection.programKubeconfig());
  if (kubeconfig === undefined) throw new Error(fault);
  return kubeconfig;
}

/** Connects like a program with this kubeconfig, which checks no addresses. */
function program(kubeconfig: Kubeconfig): HostConnection {
  const connection = connectToHost(kubeconfig, { clock: systemClock });
  open.push(connection);
  return connection;
}

/** Sends a request without TLS through the proxy of the kubeconfig. */
async function sendThrough(kubeconfig: Kubeconfig, url: string, password?: string): Promise<IncomingMessage> {
  const proxy = new URL(kubeconfig.proxyUrl ?? '');
  const credentials = Buffer.from(`program:${password ?? proxy.password}`).toString('base64');
  const sent = request({
    host: proxy.hostname,
    port: proxy.port,
    path: url,
    headers: { host: new URL(url).host, 'proxy-authorization': `Basic ${credentials}` },
  }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function listen(server: Server, host: string, port = 0): Promise<number> {
  servers.push(server);
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a program reaches only addresses that were checked, also if the name resolves differently later', async () => {
  let reached = 0;
  await listen(
    createServer((socket) => {
      reached++;
      socket.destroy();
    }),
    denied,
    bench.port,
  );
  const kubeconfig = await given(connect({ token: 'sesame' }));
  expect(kubeconfig).toMatchObject({ server: `https://api.cluster.test:${bench.port}`, tlsServerName: 'localhost' });
  expect(kubeconfig.proxyUrl).toMatch(/^http:\/\/program:[\w-]{43}@127\.0\.0\.1:\d+\/$/);
  const helm = program(kubeconfig);
  expect((await helm.own.send(version)).status).toBe(200);
  expect(bench.last.headers).toMatchObject({ authorization: 'Bearer sesame', host: `api.cluster.test:${bench.port}` });
  expect(name.resolved).toEqual(['api.cluster.test']);

  name.address = denied;
  await expect(program(kubeconfig).own.send(version)).rejects.toThrow('it returned status 502');
  expect(name.resolved).toEqual(['api.cluster.test', 'api.cluster.test']);
  expect({ reached, seen: bench.seen.length }).toEqual({ reached: 0, seen: 1 });
});

test('a program does not reach a denied address of IPv6', async () => {
  const kubeconfig = await given(connect({ server: `https://[::1]:${bench.port}` }, false, [...defaultDeniedCIDRs]));
  await expect(program(kubeconfig).own.send(version)).rejects.toThrow('it returned status 502');
});

test("the address of the kubeconfig's own proxy is checked too, and the program does not get its URL", async () => {
  const kubeconfig = await given(connect({ proxyUrl: 'http://ada:hush@proxy.cluster.test:3128' }));
  expect(JSON.stringify(kubeconfig)).not.toContain('hush');
  name.address = denied;
  await expect(program(kubeconfig).own.send(version)).rejects.toThrow('it returned status 502');
  expect(name.resolved).toEqual(['proxy.cluster.test']);
});

test('requests without TLS are forwarded if they are allowed', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const plain = createHttpServer((message, response) => {
    seen.push(message.headers);
    response.writeHead(201, { 'x-path': message.url }).end('created');
  });
  const server = `http://api.cluster.test:${await listen(plain, '127.0.0.1')}`;
  const kubeconfig = await given(connect({ server }, true));
  const response = await sendThrough(kubeconfig, `${server}/api?watch=true`);
  expect([response.statusCode, response.headers['x-path']]).toEqual([201, '/api?watch=true']);
  expect(await text(response)).toBe('created');
  expect(seen).toEqual([{ host: new URL(server).host, connection: 'close' }]);

  name.address = denied;
  const refused = await sendThrough(kubeconfig, `${server}/api`);
  expect([refused.statusCode, await text(refused)]).toEqual([502, expect.stringContaining('hosts.deniedCIDRs')]);
  const forbidden = await sendThrough(await given(connect({ server })), `${server}/api`);
  expect([forbidden.statusCode, await text(forbidden)]).toEqual([502, expect.stringContaining('allowPlainHttp')]);
  expect(seen).toHaveLength(1);
});

test('the proxy of programs connects to no other server, and to none without its password', async () => {
  const kubeconfig = await given(connect({}));
  const other = { ...kubeconfig, server: `https://127.0.0.1:${bench.port}` };
  await expect(program(other).own.send(version)).rejects.toThrow('it returned status 403');
  expect((await sendThrough(kubeconfig, 'http://169.254.169.254/latest')).statusCode).toBe(403);
  const stranger = new URL(kubeconfig.proxyUrl ?? '');
  stranger.password = 'guessed';
  await expect(program({ ...kubeconfig, proxyUrl: stranger.href }).own.send(version)).rejects.toThrow(
    'it requires a user name and password, or rejected the given ones',
  );
  expect((await sendThrough(kubeconfig, `http://api.cluster.test:${bench.port}/`, 'guessed')).statusCode).toBe(407);
  expect(bench.seen).toEqual([]);
});

test('programs that are refused and keep their connections open do not lock out others', async () => {
  const kubeconfig = await given(connect({}));
  const { hostname, port } = new URL(kubeconfig.proxyUrl ?? '');
  const held: Socket[] = [];
  for (let opened = 0; opened < 128; opened++) {
    const socket = connectSocket({ host: hostname, port: Number(port), allowHalfOpen: true });
    held.push(socket);
    socket.write('CONNECT api.cluster.test:443 HTTP/1.1\r\nhost: api.cluster.test:443\r\n\r\n');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => (answer += text));
    await once(socket, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 407 /);
  }
  const { statusCode } = await sendThrough(kubeconfig, 'http://169.254.169.254/latest');
  expect(statusCode).toBe(403);
  for (const socket of held) socket.destroy();
});

test('the proxy of programs is closed with the connection', async () => {
  const connection = connect({});
  const helm = program(await given(connection));
  expect((await helm.own.send(version)).status).toBe(200);
  await connection.close();
  await expect(helm.own.send(version)).rejects.toThrow('nothing is listening there');
});
