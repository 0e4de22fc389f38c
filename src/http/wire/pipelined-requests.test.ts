import { once } from 'node:events';
import { setImmediate as nextTick } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testCertificate } from '../../../test/harness/test-http-server.ts';
import { silentLog } from '../../lib/log.ts';
import type { IncomingRequest } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { type Listener, listen } from './listen.ts';

const certificate = await testCertificate();
let listener: Listener;
let socket: TLSSocket;
let received = '';
let events: string[] = [];

beforeEach(() => {
  received = '';
  events = [];
});
afterEach(async () => {
  socket.destroy();
  await listener.drain(500);
});

async function serve(carryOut: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const handler = async ({ url, signal }: IncomingRequest): Promise<Reply> => {
    events.push(`begins ${url}`);
    await carryOut(signal);
    events.push(`ends ${url}`);
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: `seen ${url}` };
  };
  listener = await listen({ host: '127.0.0.1', port: 0, tls: certificate, handler, log: silentLog });
  const { port } = listener;
  socket = connect({ port, host: '127.0.0.1', ca: certificate.cert, ALPNProtocols: ['http/1.1'] });
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'secureConnect');
}

const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
const asked = (url: string, more = '') => `GET ${url} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const seen = () => [...received.matchAll(/seen (\/[abc])/g)].map(([, url]) => url);

/** Waits for several ticks, so that work that the test cannot await can finish. */
async function someTicks(): Promise<void> {
  for (let tick = 0; tick < 50; tick++) await nextTick();
}

describe('pipelined requests', () => {
  it.each([
    ['a plain request', 'Connection: close\r\n'],
    ['an upgrade request', upgrade],
  ])('are executed and answered one after the other if the last one is %s', async (_what, more) => {
    await serve(someTicks);
    socket.write(asked('/a') + asked('/b') + asked('/c', more));
    await once(socket, 'close');
    expect(events).toEqual(['begins /a', 'ends /a', 'begins /b', 'ends /b', 'begins /c', 'ends /c']);
    expect(seen()).toEqual(['/a', '/b', '/c']);
  });

  it.each([
    ['a plain request', ''],
    ['an upgrade request', upgrade],
  ])('are not executed after the client has disconnected, if the last one is %s', async (_what, more) => {
    await serve(async (signal) => {
      socket.destroy();
      await once(signal, 'abort');
    });
    socket.write(asked('/a') + asked('/b') + asked('/c', more));
    await once(socket, 'close');
    while (events.length < 2) await nextTick();
    await someTicks();
    expect(events).toEqual(['begins /a', 'ends /a']);
  });
});
