import { once } from 'node:events';
import {
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { RequestEnd } from '../request/request-end.ts';
import { adaptHttp2Stream } from './adapt-request.ts';
import { Http2Response } from './http2-response.ts';

let server: Http2Server;
afterEach(() => void server.close());

interface Sending {
  readonly announced?: boolean;
  readonly isOpen?: boolean;
  readonly headers?: OutgoingHttpHeaders;
}

/**
 * Sends a body from a client. Returns the request as the server sees it after the specified number of bytes has
 * arrived.
 */
async function sent(body: string, options: Sending = {}) {
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const length = options.announced === true ? { 'content-length': Buffer.byteLength(body) } : {};
  const isEmpty = body === '' && options.isOpen !== true;
  const all = { ':method': 'POST', ':path': '/', ...length, ...options.headers };
  const request = client.request(all, { endStream: isEmpty });
  if (!isEmpty) request.write(body);
  if (!isEmpty && options.isOpen !== true) request.end();
  const arrived: unknown[] = await once(server, 'stream');
  const [stream, headers, , rawHeaders] = arrived as [ServerHttp2Stream, IncomingHttpHeaders, number, string[]];
  while (stream.readableLength < Buffer.byteLength(body)) await new Promise(setImmediate);
  const isThere = () => options.isOpen === true || stream.state.remoteClose === 1;
  while (!isThere()) await new Promise(setImmediate);
  const end = new RequestEnd();
  stream.once('close', () => end.end('over'));
  const incoming = adaptHttp2Stream({ stream, headers, rawHeaders, source: '192.0.2.7' }, end);
  return { client, request, stream, end, incoming };
}

describe('an HTTP/2 request body', () => {
  it.each([true, false])(
    'is read synchronously if all of it is buffered, Content-Length sent: %s',
    async (announced) => {
      const { client, request, stream, end, incoming } = await sent('größe', { announced });
      const told: string[] = [];
      stream.once('finish', () => told.push('finish'));
      stream.once('close', () => told.push('close'));
      const bytes = incoming.body.takeBuffered?.(announced ? 7 : 0);
      expect(Buffer.from(bytes ?? []).toString()).toBe('größe');
      const response = new Http2Response(stream, end);
      response.writeHead(201, { 'content-length': '2' });
      request.resume();
      await response.endAndFlush(Buffer.from('ok'));
      // If the server destroys a stream before the response is sent completely, the stream never emits `finish`.
      expect(told).toEqual(['finish', 'close']);
      client.close();
    },
  );

  it('is awaited if its end or announced length has not arrived', async () => {
    const { client, request, incoming } = await sent('half', { isOpen: true });
    expect(incoming.body.takeBuffered?.(0)).toBeUndefined();
    expect(incoming.body.takeBuffered?.(8)).toBeUndefined();
    const pieces: string[] = [];
    const reading = incoming.body.forEachChunk?.((piece) => pieces.push(Buffer.from(piece).toString()));
    request.end('more');
    await reading;
    expect(pieces.join('')).toBe('halfmore');
    client.close();
  });

  it('is known to be absent if the headers end the stream, and is not awaited', async () => {
    const { client, request, stream, end, incoming } = await sent('');
    const told: string[] = [];
    stream.once('finish', () => told.push('finish'));
    stream.once('close', () => told.push('close'));
    expect(incoming.body.takeBuffered?.(0)).toHaveLength(0);
    const response = new Http2Response(stream, end);
    response.writeHead(200, { 'content-length': '2' });
    request.resume();
    await response.endAndFlush(Buffer.from('ok'));
    expect(told).toEqual(['finish', 'close']);
    client.close();
  });

  it('can be empty and still be awaited', async () => {
    const { client, request, incoming } = await sent('', { isOpen: true });
    expect(incoming.body.takeBuffered?.(0)).toBeUndefined();
    const reading = incoming.body.forEachChunk?.(() => {});
    request.end();
    await reading;
    client.close();
  });

  it('is not read after the request has ended', async () => {
    const { client, end, incoming } = await sent('late');
    end.end('over');
    expect(incoming.body.takeBuffered?.(4)).toBeUndefined();
    client.close();
  });
});

describe('HTTP/2 headers', () => {
  const isOver = async ({ client, request }: Awaited<ReturnType<typeof sent>>) => {
    request.close();
    await once(request, 'close');
    client.close();
  };

  it('are passed on without the pseudo-headers', async () => {
    const arrived = await sent('', { headers: { ':authority': 'here:443', accept: 'a/b', constructor: 'c' } });
    expect(arrived.incoming.headers).toEqual({ host: 'here:443', accept: 'a/b', constructor: 'c' });
    expect([arrived.incoming.method, arrived.incoming.url, arrived.incoming.remoteAddress]).toEqual([
      'POST',
      '/',
      '192.0.2.7',
    ]);
    await isOver(arrived);
  });

  it('that are repeated are joined, or the first one counts', async () => {
    const headers = { accept: ['a/b', 'c/d'], cookie: ['e=1', 'f=2'], 'set-cookie': ['g', 'h'] };
    const arrived = await sent('', { headers: { ...headers, ':authority': 'here', 'x-once': 'i' } });
    expect(arrived.incoming.headers).toEqual({
      host: 'here',
      accept: 'a/b, c/d',
      cookie: 'e=1; f=2',
      'set-cookie': 'g, h',
      'x-once': 'i',
    });
    await isOver(arrived);
  });
});
