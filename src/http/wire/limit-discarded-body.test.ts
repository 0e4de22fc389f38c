import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { testCertificate } from '../../../test/harness/test-http-server.ts';
import { silentLog } from '../../lib/log.ts';
import type { IncomingRequest } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { type Listener, listen } from './listen.ts';
import { readBody } from './read-body.ts';

const certificate = await testCertificate();
const chunkedPost = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const tinyChunk = '1\r\na\r\n';
let listener: Listener;
let socket: TLSSocket;

afterEach(async () => {
  socket.destroy();
  await listener.drain(500);
});

/** Opens a connection to a server with the handler. Returns the text that the server has sent so far. */
async function open(handler: (request: IncomingRequest) => Promise<Reply>): Promise<() => string> {
  listener = await listen({ host: '127.0.0.1', port: 0, tls: certificate, handler, log: silentLog });
  socket = connect({ port: listener.port, host: '127.0.0.1', ca: certificate.cert, ALPNProtocols: ['http/1.1'] });
  let answer = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => (answer += bytes));
  await once(socket, 'secureConnect');
  return () => answer;
}

/**
 * Sends tiny chunks, thousands at a time, until the server closes the connection. Returns the number of sent chunks.
 */
async function sendTinyChunks(most: number): Promise<number> {
  const batch = 5_000;
  const bytes = tinyChunk.repeat(batch);
  for (let sent = 0; sent < most; sent += batch) {
    if (socket.destroyed || !socket.writable) return sent;
    await new Promise<void>((resolve) => {
      socket.once('close', resolve);
      socket.write(bytes, () => resolve());
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return most;
}

const notFound = async (): Promise<Reply> => ({ status: 404, headers: {}, body: 'nothing here' });

it('the connection is closed if the client keeps sending a long body that the handler does not read', async () => {
  const answer = await open(notFound);
  socket.write(chunkedPost);
  expect(await sendTinyChunks(3_000_000)).toBeLessThan(3_000_000);
  expect(answer()).toContain('nothing here');
});

it('the connection is used again after a short body that the handler does not read', async () => {
  const answer = await open(notFound);
  socket.write(`${chunkedPost}${tinyChunk.repeat(10)}`);
  await once(socket, 'data');
  socket.write(`${tinyChunk.repeat(500)}0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`);
  while (answer().split('nothing here').length < 3) await once(socket, 'data');
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3200000\r\n\r\n${'a'.repeat(3_200_000)}`);
  while (answer().split('nothing here').length < 4) await once(socket, 'data');
  expect(socket.destroyed).toBe(false);
});

it('a body of too many chunks is rejected', async () => {
  const answer = await open(async (request) => {
    const body = await readBody({ request });
    return { status: 200, headers: {}, body: `${body.byteLength} bytes` };
  });
  socket.write(`${chunkedPost}${tinyChunk.repeat(90_000)}0\r\n\r\n`);
  while (!answer().includes('90000 bytes')) await once(socket, 'data');
  socket.write(`${chunkedPost}${tinyChunk.repeat(110_000)}`);
  while (!answer().includes('more than 100000 parts')) await once(socket, 'data');
  expect(answer()).toContain('HTTP/1.1 400');
});
