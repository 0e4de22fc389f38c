import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { testCertificate } from '../../test/harness/http-server.ts';
import { type Log, silentLog } from '../lib/log.ts';
import type { IncomingRequest, Reply } from './exchange.ts';
import { type Listener, listen } from './listen.ts';

const certificate = await testCertificate();
let listener: Listener;
const faults: string[] = [];
const log: Log = { ...silentLog, error: (_members, message) => void faults.push(message) };
afterEach(() => listener.drain(500));

/** Sends bytes over TLS and gives back all that comes until the server closes. */
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

describe('an upgrade that comes together with a request before it', () => {
  it('is answered after that one, whatever is wrong with it', async () => {
    const handler = async ({ url }: IncomingRequest): Promise<Reply> => {
      // A few turns of the event loop: the upgrade's refusal is there at once.
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
