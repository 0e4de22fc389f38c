import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { connectionPreface, frameFlag, frameType, http2Frame } from '../../../test/harness/network/http2-frames.ts';
import { testCertificate } from '../../../test/harness/test-http-server.ts';
import { silentLog } from '../../lib/log.ts';
import type { Reply } from '../reply.ts';
import { type Listener, type ListenOptions, listen } from './listen.ts';

const certificate = await testCertificate();
let listener: Listener;
let calls = 0;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener.drain(500);
});

async function start(limits: NonNullable<ListenOptions['limits']>, work: () => Promise<void> = async () => {}) {
  calls = 0;
  const handler = async (): Promise<Reply> => {
    calls++;
    await work();
    return { status: 200, headers: {}, body: 'hello' };
  };
  listener = await listen({ host: '127.0.0.1', port: 0, tls: certificate, handler, log: silentLog, limits });
}

async function connection(protocol: 'http/1.1' | 'h2' = 'http/1.1'): Promise<TLSSocket> {
  const options = { port: listener.port, host: '127.0.0.1', ca: certificate.cert, ALPNProtocols: [protocol] };
  const socket = connectTls(options);
  sockets.push(socket);
  socket.on('error', () => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends a GET request and keeps the connection open. */
async function get(socket: TLSSocket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(socket, 'data');
  return String(answer);
}

/** The encoded headers of a GET request for https / on host x (HPACK). */
const getRoot = Buffer.from([0x82, 0x87, 0x84, 0x01, 0x01, 0x78]);

async function session(): Promise<TLSSocket> {
  const socket = await connection('h2');
  socket.write(connectionPreface());
  return socket;
}

/** Resolves when the socket has drained or closed. */
function takenOrClosed(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    if (socket.destroyed) resolve();
    else socket.on('drain', done).on('close', done);
  });
}

/**
 * Sends frames as fast as the socket accepts them until the server closes the connection. Returns the number of sent
 * frames.
 */
async function flood(socket: TLSSocket, bytes: (times: number) => Buffer, most: number): Promise<number> {
  for (let times = 0; times < most; times++) {
    if (socket.destroyed || !socket.writable) return times;
    if (!socket.write(bytes(times))) await takenOrClosed(socket);
    // Lets the server, which runs in this process, do its work.
    else if (times % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return most;
}

describe('at the connection limit', () => {
  it('the longest idle connection is closed, and the new one is served', async () => {
    await start({ connections: 3 });
    const idle = [await connection(), await connection(), await connection()];
    for (const socket of idle) await get(socket);
    // Make the first connection the most recently used one.
    await get(idle[0] as TLSSocket);
    const closed = once(idle[1] as TLSSocket, 'close');
    expect(await get(await connection())).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
    expect(idle.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  });

  it('connections with an active request are kept, and the new one is closed', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await start({ connections: 2 }, () => finished);
    const busy = [await connection(), await connection()];
    const answers = busy.map((socket) => get(socket));
    while (calls < 2) await new Promise((resolve) => setImmediate(resolve));
    const late = connectTcp(listener.port, '127.0.0.1');
    sockets.push(late);
    late.on('error', () => {});
    late.resume();
    await once(late, 'close');
    finish();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('stalled handshakes are closed in favor of new ones', async () => {
    await start({ handshakes: 5 });
    const halves = Array.from({ length: 20 }, () => {
      const socket = connectTcp(listener.port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.resume();
      socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
      return socket;
    });
    await Promise.all(halves.slice(0, 15).map((socket) => (socket.destroyed ? undefined : once(socket, 'close'))));
    expect(await get(await connection())).toMatch(/^HTTP\/1\.1 200 /);
    expect(halves.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(5);
  });
});

describe('a peer that floods the server is disconnected or limited', () => {
  it('a peer that sends endless headers is disconnected', async () => {
    await start({});
    const socket = await session();
    socket.resume();
    socket.write(http2Frame(frameType.headers, frameFlag.endStream, 1, getRoot));
    // A header field that HPACK does not index: its name has one letter, its value 100 characters.
    const header = Buffer.concat([Buffer.from([0x00, 1, 0x61, 100]), Buffer.alloc(100, 0x62)]);
    const headers = Buffer.concat(Array.from({ length: 100 }, () => header));
    const sent = await flood(socket, () => http2Frame(frameType.continuation, 0, 1, headers), 10_000);
    expect(sent * headers.length).toBeLessThan(16 * 1024 * 1024);
    expect(calls).toBe(0);
    expect(await get(await connection())).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('a peer that resets its requests immediately is disconnected', async () => {
    await start({ pingMilliseconds: 200 });
    const socket = await session();
    socket.resume();
    const cancel = Buffer.from([0, 0, 0, 8]);
    const request = (times: number) => {
      const stream = 2 * times + 1;
      return Buffer.concat([
        http2Frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, stream, getRoot),
        http2Frame(frameType.reset, 0, stream, cancel),
      ]);
    };
    expect(await flood(socket, request, 1_000_000)).toBeLessThan(1_000_000);
    expect(calls).toBeLessThan(5_000);
    expect(await get(await connection())).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('a peer that pipelines too many HTTP/1.1 requests is disconnected, and none of them is executed', async () => {
    await start({ streamsPerSession: 100 }, () => new Promise(() => {}));
    const socket = await connection();
    const request = Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    // The client pipelines the maximum number of requests, one after the other.
    expect(await flood(socket, () => request, 100)).toBe(100);
    expect(await flood(socket, () => request, 100_000)).toBeLessThan(100_000);
    expect(calls).toBe(1);
  });

  it('a peer that sends pings or settings and does not read the acknowledgments is disconnected', async () => {
    await start({ pingMilliseconds: 200 });
    for (const bytes of [
      http2Frame(frameType.ping, 0, 0, Buffer.alloc(8)),
      http2Frame(frameType.settings, 0, 0, Buffer.alloc(0)),
    ]) {
      const socket = await session();
      const many = Buffer.concat(Array.from({ length: 1000 }, () => bytes));
      socket.pause();
      expect(await flood(socket, () => many, 5000)).toBeLessThan(5000);
    }
    expect(await get(await connection())).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('streams beyond the limit are refused, and the others continue', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await start({ streamsPerSession: 10 }, () => finished);
    const socket = await session();
    for (let times = 0; times < 50; times++) {
      socket.write(http2Frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, 2 * times + 1, getRoot));
    }
    let resets = 0;
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      for (let at = 0; at + 9 <= chunk.length; at += 9 + chunk.readUIntBE(at, 3))
        if (chunk[at + 3] === frameType.reset) resets++;
      if (resets >= 40) break;
    }
    // Requests that arrive together may start one after the other, so wait until all have started.
    await expect.poll(() => calls).toBe(10);
    finish();
    socket.destroy();
  });
});
