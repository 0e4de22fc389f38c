import { once } from 'node:events';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testCertificate } from '../../test/harness/http-server.ts';
import { silentLog } from '../lib/log.ts';
import type { IncomingRequest, Reply } from './exchange.ts';
import { type Listener, listen } from './listen.ts';

const certificate = await testCertificate();
let listener: Listener;
let socket: TLSSocket;
let came = '';
let happened: string[] = [];

beforeEach(() => {
  came = '';
  happened = [];
});
afterEach(async () => {
  socket.destroy();
  await listener.drain(500);
});

async function serve(carryOut: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const handler = async ({ url, signal }: IncomingRequest): Promise<Reply> => {
    happened.push(`begins ${url}`);
    await carryOut(signal);
    happened.push(`ends ${url}`);
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: `seen ${url}` };
  };
  listener = await listen({ host: '127.0.0.1', port: 0, tls: certificate, handler, log: silentLog });
  const { port } = listener;
  socket = connect({ port, host: '127.0.0.1', ca: certificate.cert, ALPNProtocols: ['http/1.1'] });
  socket.setEncoding('utf8').on('data', (text: string) => {
    came += text;
  });
  await once(socket, 'secureConnect');
}

const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
const asked = (url: string, more = '') => `GET ${url} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const seen = () => [...came.matchAll(/seen (\/[abc])/g)].map(([, url]) => url);

/** Long enough for whatever is not waited for. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await turnOfTheLoop();
}

describe('requests that are sent at once over one connection', () => {
  it.each([
    ['one like the others', 'Connection: close\r\n'],
    ['one for another protocol', upgrade],
  ])('are carried out and answered one after the other, the last of them %s', async (_what, more) => {
    await serve(someTurns);
    socket.write(asked('/a') + asked('/b') + asked('/c', more));
    await once(socket, 'close');
    expect(happened).toEqual(['begins /a', 'ends /a', 'begins /b', 'ends /b', 'begins /c', 'ends /c']);
    expect(seen()).toEqual(['/a', '/b', '/c']);
  });

  it.each([
    ['one like the others', ''],
    ['one for another protocol', upgrade],
  ])('are not carried out any more once nobody waits for the one before, the last of them %s', async (_what, more) => {
    await serve(async (signal) => {
      socket.destroy();
      await once(signal, 'abort');
    });
    socket.write(asked('/a') + asked('/b') + asked('/c', more));
    await once(socket, 'close');
    while (happened.length < 2) await turnOfTheLoop();
    await someTurns();
    expect(happened).toEqual(['begins /a', 'ends /a']);
  });
});
