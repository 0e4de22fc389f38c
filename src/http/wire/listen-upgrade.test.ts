import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { testCertificate } from '../../../test/harness/test-http-server.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import type { IncomingRequest } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { type Listener, listen } from './listen.ts';

const certificate = await testCertificate();
let listener: Listener;
const faults: string[] = [];
const log: Log = { ...silentLog, error: (_members, message) => void faults.push(message) };
afterEach(() => listener.drain(500));

/** Sends bytes over TLS and returns everything received until the server closes. */
async function send(text: string): Promise<string> {
  const socket = connect({ port: listener.port, host: '127.0.0.1', ca: certificate.cert, ALPNProtocols: ['http/1.1'] });
  let came = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    came += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return came;
}

describe('a pipelined upgrade request', () => {
  it('is answered after the request before it, even if it is invalid', async () => {
    const handler = async ({ url }: IncomingRequest): Promise<Reply> => {
      // Respond after a few ticks, because the error response to the upgrade is ready immediately.
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: `seen ${url}` };
    };
    listener = await listen({ host: '127.0.0.1', port: 0, tls: certificate, handler, log });
    const came = await send(
      'GET /first HTTP/1.1\r\nHost: a\r\n\r\n' +
        'GET /second HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n\r\nabc',
    );
    const codes = [...came.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);
    expect(codes).toEqual(['200', '400']);
    expect(came.indexOf('seen /first')).toBeLessThan(came.lastIndexOf('HTTP/1.1 400'));
    expect(faults).toEqual([]);
  });
});

describe('a slow reader of an upgraded connection', () => {
  it.each([
    ['that has ended', (behind: Duplex) => behind.push(null)],
    ['that has failed', (behind: Duplex) => setImmediate(() => behind.destroy(new Error('gone')))],
  ])('gets all data of a backend %s, even if it sends something in between', async (_, finish) => {
    // More bytes than the buffers of the client's process take, and fewer than the kernel accepts.
    const sent = Buffer.alloc(300_000, 'x');
    const behind = new Duplex({ allowHalfOpen: false, read() {}, write: (_chunk, _encoding, done) => done() });
    const handler = async (): Promise<Reply> => ({
      status: 101,
      headers: { connection: 'Upgrade', upgrade: 'bytes' },
      body: { socket: behind },
    });
    listener = await listen({ host: '127.0.0.1', port: 0, tls: certificate, handler, log });
    const socket = connect({ port: listener.port, host: '127.0.0.1', ca: certificate.cert });
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: bytes\r\n\r\n');
    await once(socket, 'readable');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const over = new Promise((resolve) => behind.once('close', resolve));
    behind.push(sent);
    finish(behind);
    await over;
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    socket.write('ping');
    const came: Buffer[] = [];
    for await (const chunk of socket) came.push(chunk as Buffer);
    const all = Buffer.concat(came);
    expect(all.subarray(all.indexOf('\r\n\r\n') + 4).equals(sent)).toBe(true);
    expect(faults).toEqual([]);
  });
});
