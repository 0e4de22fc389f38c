import { connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoopbackServer } from './loopback-server.ts';

let created: Server[];
let loopback: LoopbackServer;
beforeEach(() => {
  created = [];
  loopback = new LoopbackServer(() => {
    const server = createServer((client) => client.end('hello'));
    created.push(server);
    return server;
  });
});
afterEach(() => loopback.close());

async function received(address: string): Promise<string> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return (await connect(Number(port), hostname).setEncoding('utf8').toArray()).join('');
}

test('a connection that cannot be accepted does not end the process', async () => {
  const address = await loopback.address();
  // Node.js reports a failed accept with this event. If the server had no listener for it, `emit` would throw here.
  created[0]?.emit('error', Object.assign(new Error('accept ENFILE'), { code: 'ENFILE', syscall: 'accept' }));
  expect(await received(address)).toBe('hello');
});

test('a closed server opens no port again', async () => {
  await loopback.address();
  await loopback.close();
  await expect(loopback.address()).rejects.toMatchObject({ code: 503 });
  expect(created.map(({ listening }) => listening)).toEqual([false]);
});

test('a server that is closed before its first use opens no port', async () => {
  await loopback.close();
  await expect(loopback.address()).rejects.toMatchObject({ code: 503 });
  expect(created).toEqual([]);
});

test('a server that is closed while its port opens has no address, and its port closes', async () => {
  const opening = loopback.address();
  const refused = expect(opening).rejects.toMatchObject({ code: 503 });
  await loopback.close();
  await refused;
  expect(created.map(({ listening }) => listening)).toEqual([false]);
});
