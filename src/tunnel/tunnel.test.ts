import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { openTunnel, type Tunnel } from './open-tunnel.ts';
import { type ServedTunnel, serveTunnel } from './serve-tunnel.ts';
import { socketPair } from './socket-pair.fixture.ts';
import { streamWindowBytes } from './tunnel-protocol.ts';
import type { TunnelSocket } from './tunnel-socket.ts';

let http: Server;
let tunnel: Tunnel;
let served: ServedTunnel;
let clock: ManualClock;
let carriers: [Socket, Socket];
/** Called with each connection to the target `raw`. */
let onConnection: (connection: TunnelSocket) => void;

beforeEach(async () => {
  clock = new ManualClock();
  http = createServer((incoming, response) => {
    if (incoming.url === '/endless') {
      const write = () => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', write);
      };
      write();
      return;
    }
    incoming.pipe(response);
  });
  carriers = await socketPair();
  tunnel = openTunnel(carriers[0], clock);
  served = serveTunnel(carriers[1], {
    accept(target) {
      if (target === 'silent') return new Promise(() => {});
      if (target === 'raw') return (connection) => onConnection(connection);
      return target === 'api' ? (connection) => void http.emit('connection', connection) : undefined;
    },
    clock,
  });
  // Waits for the first round trip. If the clock advanced before, the other end would give up.
  await expect.poll(() => served.hasRoundTrip).toBe(true);
});
afterEach(async () => {
  tunnel.destroy();
  served.destroy();
  await Promise.all([tunnel.closed, served.closed]);
});

/** Sends a request on its own connection, and returns the connection and the response. */
async function send(path: string, body = '') {
  const connection = await tunnel.connect('api');
  const outgoing = request({ path, method: 'POST', createConnection: () => connection, headers: { host: 'x' } });
  outgoing.on('error', () => {});
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  return { connection, response };
}

async function echo(text: string): Promise<string> {
  const { response } = await send('/', text);
  let received = '';
  for await (const chunk of response.setEncoding('utf8')) received += chunk;
  return received;
}

/** Opens a connection, and returns both of its ends. */
async function connectionPair(): Promise<{ near: TunnelSocket; far: TunnelSocket }> {
  const accepted = new Promise<TunnelSocket>((resolve) => {
    onConnection = resolve;
  });
  const near = await tunnel.connect('raw');
  return { near, far: await accepted };
}

/** Reads until the end of a connection. Returns the bytes, and the error if the connection has failed before its end. */
async function contentOf(connection: TunnelSocket): Promise<{ bytes: number; error?: unknown }> {
  let bytes = 0;
  connection.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return await new Promise((resolve) => {
    connection.once('end', () => resolve({ bytes }));
    connection.once('error', (error) => resolve({ bytes, error }));
  });
}

async function endOf(connection: TunnelSocket): Promise<Error | undefined> {
  let failure: Error | undefined;
  connection.on('error', (error: Error) => {
    failure = error;
  });
  connection.resume();
  if (!connection.closed) await new Promise((resolve) => connection.once('close', resolve));
  return failure;
}

describe('a tunnel', () => {
  it('carries HTTP/1.1 requests and responses of any length', async () => {
    expect(await echo('hello')).toBe('hello');
    const long = 'a line of text\n'.repeat(300_000);
    expect(await echo(long)).toBe(long);
  });

  it('carries many connections at the same time', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    expect(await Promise.all(texts.map(echo))).toEqual(texts);
  });

  it('refuses connections to unknown targets and continues', async () => {
    await expect(tunnel.connect('other')).rejects.toThrow('refused the connection (404)');
    expect(await echo('still here')).toBe('still here');
  });

  it('gives up a connection to which the other end does not respond', async () => {
    const attempt = expect(tunnel.connect('silent')).rejects.toThrow('the tunnel was closed');
    expect(tunnel.connections).toBe(1);
    clock.advance(10_000);
    await attempt;
    await expect.poll(() => tunnel.connections).toBe(0);
    expect(await echo('still here')).toBe('still here');
  });

  it('gives up a connection when its signal fires', async () => {
    const ending = new AbortController();
    const attempt = expect(tunnel.connect('silent', ending.signal)).rejects.toThrow('no longer needed');
    expect(tunnel.connections).toBe(1);
    ending.abort(new Error('no longer needed'));
    await attempt;
    await expect.poll(() => tunnel.connections).toBe(0);
    await expect(tunnel.connect('api', ending.signal)).rejects.toThrow('no longer needed');
    expect(await echo('still here')).toBe('still here');
  });

  it('does not delay other connections when nobody reads from some', async () => {
    const unread = await Promise.all(Array.from({ length: 40 }, () => send('/endless')));
    expect(await echo('quick')).toBe('quick');
    for (const { connection } of unread) {
      expect(connection.readableLength).toBeLessThanOrEqual(2 * streamWindowBytes);
      connection.destroy();
    }
    expect(await echo('quick again')).toBe('quick again');
  });

  it('counts open connections', async () => {
    const { connection } = await send('/endless');
    expect(tunnel.connections).toBe(1);
    connection.destroy();
    await endOf(connection);
    await expect.poll(() => tunnel.connections).toBe(0);
  });

  it('waits for open connections when it is closed, and tells the other end', async () => {
    const connection = await tunnel.connect('api');
    tunnel.close();
    expect(tunnel.isOpen).toBe(false);
    await expect(tunnel.connect('api')).rejects.toThrow('the tunnel was closed');
    await served.ending;
    const outgoing = request({ path: '/', method: 'POST', createConnection: () => connection, headers: { host: 'x' } });
    outgoing.end('last words');
    const [response] = await once(outgoing, 'response');
    expect((await response.setEncoding('utf8').toArray()).join('')).toBe('last words');
    connection.destroy();
    await tunnel.closed;
  });

  it('ends open connections with an error when the network connection is lost', async () => {
    const { connection } = await send('/endless');
    const ended = endOf(connection);
    carriers[1].destroy();
    expect(await ended).toMatchObject({ code: 'ECONNRESET' });
    await Promise.all([tunnel.closed, served.closed, served.ending]);
    expect(tunnel.isOpen).toBe(false);
  });

  const directions = [
    { reader: 'near', writer: 'far' },
    { reader: 'far', writer: 'near' },
  ] as const;

  describe.each(directions)('with a connection that the $writer end writes to', ({ reader, writer }) => {
    const length = 3_000_000;

    it('ends at the reader after all bytes if the writer has ended it', async () => {
      const pair = await connectionPair();
      const read = contentOf(pair[reader]);
      pair[writer].end(Buffer.alloc(length));
      expect(await read).toEqual({ bytes: length });
    });

    it('ends at a slow reader after all bytes, even if the writer is destroyed after the end', async () => {
      const pair = await connectionPair();
      const content = Buffer.alloc(streamWindowBytes / 2);
      await new Promise<void>((resolve) => pair[writer].end(content, resolve));
      pair[writer].destroy();
      await expect.poll(() => pair[reader].readableLength).toBeGreaterThan(0);
      expect(await contentOf(pair[reader])).toEqual({ bytes: content.length });
    });

    it.each([undefined, new Error('the disk failed')])(
      'fails at the reader if the writer is destroyed before the end (%s)',
      async (error) => {
        const pair = await connectionPair();
        pair[writer].on('error', () => {});
        const read = contentOf(pair[reader]);
        await new Promise((resolve) => pair[writer].write(Buffer.alloc(1000), resolve));
        pair[writer].destroy(error);
        expect((await read).error).toMatchObject({ code: 'ECONNRESET' });
        expect(await echo('the tunnel works')).toBe('the tunnel works');
      },
    );

    it('fails at the reader if the writer is destroyed while its last bytes are waiting', async () => {
      const pair = await connectionPair();
      pair[writer].on('error', () => {});
      pair[writer].end(Buffer.alloc(4 * streamWindowBytes));
      await expect.poll(() => pair[reader].readableLength).toBeGreaterThan(0);
      pair[writer].destroy();
      expect((await contentOf(pair[reader])).error).toMatchObject({ code: 'ECONNRESET' });
    });

    it('fails at the reader if the tunnel is destroyed', async () => {
      const pair = await connectionPair();
      pair[writer].on('error', () => {});
      const read = contentOf(pair[reader]);
      await new Promise((resolve) => pair[writer].write(Buffer.alloc(1000), resolve));
      (writer === 'near' ? tunnel : served).destroy();
      expect((await read).error).toMatchObject({ code: 'ECONNRESET' });
    });

    it('still carries the other direction after one direction has ended', async () => {
      const pair = await connectionPair();
      pair[writer].end('request');
      expect(await contentOf(pair[reader])).toEqual({ bytes: 7 });
      pair[reader].end(Buffer.alloc(length));
      expect(await contentOf(pair[writer])).toEqual({ bytes: length });
    });
  });

  it.each(['close', 'destroy'] as const)('ends without an error if the first call is %s', async (end) => {
    const [near, far] = await socketPair();
    far.resume();
    const short = openTunnel(near, clock);
    short[end]();
    await short.closed;
    // Waits for the `connect` event, which the session still emits. An uncaught error of its listener would fail the
    // run.
    await new Promise(setImmediate);
    expect(short.isOpen).toBe(false);
  });

  it('measures the round trip time', async () => {
    await expect.poll(() => tunnel.roundTripMilliseconds).toBeGreaterThanOrEqual(0);
  });

  it('is closed if the peer answers no pings', async () => {
    const [near] = await socketPair();
    const unanswered = openTunnel(near, clock);
    await expect
      .poll(() => {
        clock.advance(10_000);
        return unanswered.isOpen;
      })
      .toBe(false);
    await unanswered.closed;
    expect(tunnel.isOpen).toBe(true);
  });
});
