import { once } from 'node:events';
import { connect, createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { adaptStream } from './adapt-request.ts';
import { RequestEnd } from './request-end.ts';
import { StreamResponse } from './stream-response.ts';

let server: Http2Server;
afterEach(() => void server.close());

/** Has a client send a body and gives the server's side of it, once so many bytes have come. */
async function sent(body: string, options: { readonly announced?: boolean; readonly isOpen?: boolean } = {}) {
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const length = options.announced === true ? { 'content-length': Buffer.byteLength(body) } : {};
  const request = client.request({ ':method': 'POST', ':path': '/', ...length });
  request.write(body);
  if (options.isOpen !== true) request.end();
  const [stream, headers] = (await once(server, 'stream')) as [ServerHttp2Stream, IncomingHttpHeaders];
  while (stream.readableLength < Buffer.byteLength(body)) await new Promise(setImmediate);
  const isThere = () => options.isOpen === true || stream.state.remoteClose === 1;
  while (!isThere()) await new Promise(setImmediate);
  const end = new RequestEnd();
  stream.once('close', () => end.end('over'));
  return { client, request, stream, end, incoming: adaptStream(stream, headers, end) };
}

describe('a body of HTTP/2', () => {
  it.each([true, false])('is taken at once where all of it has come, its length announced: %s', async (announced) => {
    const { client, request, stream, end, incoming } = await sent('größe', { announced });
    const told: string[] = [];
    stream.once('finish', () => told.push('finish'));
    stream.once('close', () => told.push('close'));
    const bytes = incoming.body.takeWhole?.(announced ? 7 : 0);
    expect(Buffer.from(bytes ?? []).toString()).toBe('größe');
    const response = new StreamResponse(stream, end);
    response.writeHead(201, { 'content-length': '2' });
    request.resume();
    await response.endFully(Buffer.from('ok'));
    // One that is destroyed while its answer is on its way never tells that this is out.
    expect(told).toEqual(['finish', 'close']);
    client.close();
  });

  it('is waited for where its end has not come, or less than was announced', async () => {
    const { client, request, incoming } = await sent('half', { isOpen: true });
    expect(incoming.body.takeWhole?.(0)).toBeUndefined();
    expect(incoming.body.takeWhole?.(8)).toBeUndefined();
    const pieces: string[] = [];
    const reading = incoming.body.each?.((piece) => pieces.push(Buffer.from(piece).toString()));
    request.end('more');
    await reading;
    expect(pieces.join('')).toBe('halfmore');
    client.close();
  });

  it('is not taken of a request that is over', async () => {
    const { client, end, incoming } = await sent('late');
    end.end('over');
    expect(incoming.body.takeWhole?.(4)).toBeUndefined();
    client.close();
  });
});
