import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { demoInstancePath, ForwardingTestEnv, farClusterPath } from './forwarding.fixture.ts';

const exec = '/api/v1/namespaces/a/pods/x/exec?command=sh&stdin=true&stdout=true';

/** The upgrade request of an SPDY client. The bytes after the request belong to another protocol. */
const spdy = (path: string, more = '', method = 'POST') =>
  `${method} ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer anna-token\r\nConnection: Upgrade\r\n` +
  `Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\nX-Stream-Protocol-Version: v3.channel.k8s.io\r\n${more}\r\n`;

const switched =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\nSet-Cookie: a=b\r\n\r\n';

/** Resolves when the socket is closed. A socket notices this only if it is being read. */
async function closed(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  socket.once('end', () => socket.end());
  socket.resume();
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** Reads until this text has arrived; returns everything read. */
async function until(socket: Socket, text: string): Promise<string> {
  let read = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    read += chunk;
    if (read.includes(text)) return read;
  }
  throw new Error(`it ended before ${text}: ${read}`);
}

describe('an upgraded connection', () => {
  const at = ForwardingTestEnv.forEach({ stallMilliseconds: 400 });
  const echo = (_request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.write(switched);
    if (head.length > 0) socket.write(head);
    socket.pipe(socket);
  };
  /** The target's side of the next connection. */
  const nextOne = () =>
    new Promise<Socket>((resolve) => {
      at.state.onUpgrade = (_request, socket) => {
        socket.write(switched);
        resolve(socket);
      };
    });

  it('carries bytes in both directions, including early data (issue 7)', async () => {
    at.state.onUpgrade = echo;
    for (const root of [farClusterPath, demoInstancePath]) {
      const socket = await at.raw(`${spdy(`${root}${exec}`)}early`);
      const head = await until(socket, 'early');
      expect(head).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
      expect(head.toLowerCase()).toContain('upgrade: spdy/3.1\r\n');
      expect(head.toLowerCase()).toContain('x-stream-protocol-version: v4.channel.k8s.io\r\n');
      expect(head.toLowerCase()).not.toContain('set-cookie');
      expect(head.toLowerCase()).toContain('audit-id: ');
      const bytes = Buffer.alloc(3_000_000, 7);
      socket.write(bytes);
      let length = 0;
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        length += (chunk as Buffer).length;
        if (length === bytes.length) break;
      }
      socket.end();
      await closed(socket);
      expect(at.state.seen.at(-1)).toMatchObject({
        method: 'POST',
        url: exec,
        headers: {
          upgrade: 'SPDY/3.1',
          authorization: 'Bearer host-credential',
          'impersonate-user': 'anna',
          'x-stream-protocol-version': 'v4.channel.k8s.io, v3.channel.k8s.io',
        },
      });
    }
    expect(at.state.audit.events.at(-1)).toMatchObject({ verb: 'create', responseStatus: { code: 101 } });
  });

  it('can be a WebSocket, and a token among its subprotocols is not forwarded (completions §8)', async () => {
    const server = new WebSocketServer({ noServer: true });
    at.state.onUpgrade = (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('message', (data, isBinary) => webSocket.send(data, { binary: isBinary }));
      });
    const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from('anna-token').toString('base64url')}`;
    const webSocket = new WebSocket(
      `${at.url.replace('https', 'wss')}${demoInstancePath}${exec}`,
      [bearer, 'v5.channel.k8s.io'],
      {
        ca: at.certificate,
      },
    );
    await once(webSocket, 'open');
    expect(webSocket.protocol).toBe('v5.channel.k8s.io');
    expect(at.state.seen.at(-1)?.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io');
    expect(JSON.stringify(at.state.seen)).not.toContain(bearer.slice(-8));
    webSocket.send(Buffer.from([0, 1, 2]));
    const [data, isBinary] = (await once(webSocket, 'message')) as [Buffer, boolean];
    expect([[...data], isBinary]).toEqual([[0, 1, 2], true]);
    webSocket.close(1000);
    const [code] = (await once(webSocket, 'close')) as [number];
    expect(code).toBe(1000);
  });

  it('is declined with the cluster’s or this server’s error, and the connection closes', async () => {
    at.state.onUpgrade = (_request, socket) =>
      socket.end(
        'HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{"kind":"Status"}',
      );
    expect(await at.rawResponse(spdy(`${demoInstancePath}${exec}`))).toMatch(
      /^HTTP\/1.1 403 [\s\S]*\{"kind":"Status"\}$/,
    );
    at.state.decide = () => ({ allowed: false, reason: 'no' });
    expect(await at.rawResponse(spdy(`${demoInstancePath}${exec}`))).toMatch(
      /^HTTP\/1.1 403 [\s\S]*"reason":"Forbidden"/,
    );
    expect(at.state.seen.length).toBe(1);
    at.state.decide = () => ({ allowed: true, reason: '' });
    await at.stopTarget();
    expect(await at.rawResponse(spdy(`${demoInstancePath}${exec}`))).toMatch(/^HTTP\/1.1 503 /);
  });

  it('has no request body, which one side could take for its first bytes', async () => {
    at.state.onUpgrade = echo;
    for (const header of ['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n']) {
      const answer = await at.rawResponse(`${spdy(`${demoInstancePath}${exec}`, header)}5\r\nhello\r\n0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*must not have a body/);
    }
    expect(at.state.seen).toEqual([]);
    const socket = await at.raw(`${spdy(`${demoInstancePath}${exec}`, 'Content-Length: 0\r\n')}x`);
    await until(socket, '\r\n\r\nx');
    socket.destroy();
  });

  it('ends on both sides with its key, with its caller’s permissions and with the instance (completions §5)', async () => {
    const { instance } = at.state;
    const sleeping = { ...instance, status: { ...(instance.status as object), phase: 'Sleeping' } };
    for (const end of [
      () => at.state.keys.get('anna')?.abort(new Error('revoked')),
      () => at.gateways.changes.handleChange(instance, sleeping as never),
      () => at.gateways.changes.handleChange(instance, undefined),
      () => at.state.permissions.abort(new Error('other rights')),
    ]) {
      at.state.keys.clear();
      const target = nextOne();
      const client = await at.raw(spdy(`${demoInstancePath}${exec}`));
      await until(client, '\r\n\r\n');
      const ends = [closed(client), closed(await target)];
      end();
      await Promise.all(ends);
    }
  });

  it('ends when one side closes, after that side’s last bytes are delivered', async () => {
    const target = nextOne();
    const client = await at.raw(spdy(`${demoInstancePath}${exec}`));
    await until(client, '\r\n\r\n');
    const there = await target;
    client.end(Buffer.alloc(2_000_000, 1));
    let length = 0;
    there.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    await closed(there);
    expect(length).toBe(2_000_000);

    const another = nextOne();
    const reader = await at.raw(spdy(`${demoInstancePath}${exec}`));
    await until(reader, '\r\n\r\n');
    (await another).end(Buffer.alloc(2_000_000, 1));
    length = 0;
    for await (const chunk of reader) length += (chunk as Buffer).length;
    expect(length).toBe(2_000_000);
  });

  it('applies backpressure, and a client that does not read is disconnected', async () => {
    const target = nextOne();
    const client = await at.raw(spdy(`${demoInstancePath}${exec}`));
    const there = await target;
    client.pause();
    let sent = 0;
    const piece = Buffer.alloc(1 << 20);
    const over = closed(there);
    const more = () => {
      while (!there.destroyed && sent < 500) {
        sent += 1;
        if (!there.write(piece)) return void there.once('drain', more);
      }
    };
    more();
    await over;
    expect(sent).toBeLessThan(100);
    client.destroy();
  });

  it('ends with the server', async () => {
    const target = nextOne();
    const client = await at.raw(spdy(`${demoInstancePath}${exec}`));
    await until(client, '\r\n\r\n');
    const ends = [closed(client), closed(await target)];
    await at.listener.drain(2_000);
    await Promise.all(ends);
  });

  it('leaves no connection at the target if its client disconnects before the response', async () => {
    const there = new Promise<Socket>((resolve) => {
      at.state.onUpgrade = (_request, socket) => resolve(socket);
    });
    const client = await at.raw(spdy(`${demoInstancePath}${exec}`));
    const over = closed(await there);
    client.destroy();
    await over;
  });
});
