import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { testCertificate } from '../../../test/harness/test-http-server.ts';
import { silentLog } from '../../lib/log.ts';
import type { Reply } from '../reply.ts';
import { type Listener, listen } from './listen.ts';

const certificate = await testCertificate();
let listener: Listener;
afterEach(() => listener.drain(500));

/** Serves WebSockets that echo the bytes that they receive. */
async function startEcho(): Promise<void> {
  const takeOver = async (connection: Duplex) => {
    connection.on('error', () => {}).pipe(connection);
    await new Promise((resolve) => connection.once('close', resolve));
  };
  const handler = async (): Promise<Reply> => ({ status: 101, headers: {}, body: { protocol: 'echo', takeOver } });
  listener = await listen({ host: '127.0.0.1', port: 0, tls: certificate, handler, log: silentLog });
}

describe('a WebSocket that a handler uses itself', () => {
  it('answers some of many pings, so that a client cannot cause as many writes', async () => {
    await startEcho();
    const client = new WebSocket(`wss://127.0.0.1:${listener.port}`, 'echo', { ca: certificate.cert });
    let pongs = 0;
    client.on('pong', () => pongs++);
    await once(client, 'open');
    const sent = 2_000;
    for (let pings = 0; pings < sent; pings++) client.ping();
    client.send('all pings were received');
    expect(String((await once(client, 'message'))[0])).toBe('all pings were received');
    client.ping('last');
    await once(client, 'pong');
    expect(pongs).toBeLessThan(sent / 2);
    client.terminate();
  });
});
