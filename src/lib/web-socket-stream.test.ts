import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { webSocketStream } from './web-socket-stream.ts';

let http: Server;
let client: WebSocket;
let stream: Duplex;

beforeEach(async () => {
  http = createServer();
  const server = new WebSocketServer({ server: http });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  const [[webSocket]] = (await Promise.all([once(server, 'connection'), once(client, 'open')])) as [
    [WebSocket],
    unknown,
  ];
  stream = webSocketStream(webSocket);
  stream.on('error', () => {});
});
afterEach(() => {
  client.terminate();
  stream.destroy();
  http.close();
});

describe('the stream of a WebSocket', () => {
  it('carries bytes in both directions', async () => {
    client.send(Buffer.from('there'));
    expect(String((await once(stream, 'data'))[0])).toBe('there');
    stream.write('and back');
    expect(String((await once(client, 'message'))[0])).toBe('and back');
  });

  it('counts the bytes in both directions', async () => {
    client.send(Buffer.from('there'));
    await once(stream, 'data');
    stream.write('and');
    await new Promise((resolve) => stream.write(' back', resolve));
    expect(stream).toMatchObject({ bytesRead: 5, bytesWritten: 8 });
  });

  it('is closed with the connection, even if the peer has not read everything', async () => {
    client.pause();
    const closed = new Promise((resolve) => stream.once('close', resolve));
    // Writes more bytes than the kernel buffers.
    for (let megabytes = 0; megabytes < 32; megabytes++) stream.write(Buffer.alloc(1024 * 1024));
    stream.resume();
    client.terminate();
    await closed;
    expect(stream.readableEnded).toBe(false);
  });

  it('is closed when the peer closes it', async () => {
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.resume();
    client.close();
    await closed;
  });
});
