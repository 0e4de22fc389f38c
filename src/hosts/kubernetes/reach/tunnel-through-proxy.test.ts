import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { ApiServerTestEnv } from './api-server.fixture.ts';
import { connectToHost, type HostConnection } from './host-connection.ts';

let bench: ApiServerTestEnv;
let proxy: Server;
let asked: { authority: string | undefined; authorization: string | undefined }[];
let answer: (socket: Socket, authority: string) => void;
const open: HostConnection[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  bench = await ApiServerTestEnv.start();
  asked = [];
  answer = lead;
  proxy = createServer((_, response) => response.writeHead(400).end());
  proxy.on('connection', (socket) => sockets.push(socket));
  proxy.on('connect', (message, socket: Socket) => {
    socket.on('error', () => {});
    asked.push({ authority: message.url, authorization: message.headers['proxy-authorization'] });
    answer(socket, message.url ?? '');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  for (const socket of sockets.splice(0)) socket.destroy();
  proxy.close();
  await bench.close();
});

function lead(socket: Socket, authority: string): void {
  const [host = '', port] = authority.split(':');
  const target = connectTcp({ host, port: Number(port) }, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => socket.destroy());
}

function through(proxyUrl: string): HostConnection {
  const connection = connectToHost({ ...bench.kubeconfig, token: 'sesame', proxyUrl }, { clock: systemClock });
  open.push(connection);
  return connection;
}

const address = () => `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const request = { method: 'GET', path: '/version', headers: {}, signal: new AbortController().signal };

test('a request goes through the proxy, and only the server sees it', async () => {
  const { status } = await through(`http://ada:p%40ss@${address()}`).own.send(request);
  expect(status).toBe(200);
  expect(asked).toEqual([
    { authority: `127.0.0.1:${bench.port}`, authorization: `Basic ${Buffer.from('ada:p@ss').toString('base64')}` },
  ]);
  expect(bench.last.headers.authorization).toBe('Bearer sesame');
});

test('an upgrade goes through the proxy', async () => {
  bench.onUpgrade = (_, socket) => socket.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  const upgraded = await through(`http://${address()}`).own.upgrade({ ...request, headers: { upgrade: 'x' } });
  expect(upgraded.status).toBe(101);
});

test.each([
  [407, 'it requires a user name and password, or rejected the given ones'],
  [502, 'it returned status 502'],
])('the error for a proxy that returns %i names the proxy without its password', async (status, why) => {
  answer = (socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
  await expect(through(`http://ada:secret@${address()}`).own.send(request)).rejects.toMatchObject({
    code: 503,
    why: 'ProxyRefused',
    message: `the proxy ${address()} did not connect to 127.0.0.1:${bench.port}: ${why}`,
  });
});

test('a proxy that hangs up or is down is distinguished from a server that is down', async () => {
  answer = (socket) => socket.destroy();
  await expect(through(`http://${address()}`).own.send(request)).rejects.toThrow(
    `the proxy ${address()} closed the connection without a response`,
  );
  const gone = address();
  proxy.close();
  for (const socket of sockets) socket.destroy();
  await expect(through(`http://${gone}`).own.send(request)).rejects.toThrow(
    `the proxy ${gone} refused the connection: nothing is listening there`,
  );
});

test('an invalid user name in the proxy URL is rejected immediately', () => {
  expect(() => through('http://%zz:x@127.0.0.1:1')).toThrow('contains an invalid URL escape');
});
