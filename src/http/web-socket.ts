import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Feed } from '../lib/feed.ts';
import { isFeed, isStream, type Reply } from './exchange.ts';

/** Tokens of browsers, which cannot set headers, come as a subprotocol of this name; it is never chosen. */
export const bearerProtocolPrefix = 'base64url.bearer.authorization.k8s.io.';

/** What clients send on a watch is ignored; a frame beyond this ends the connection. */
const longestClientFrame = 64 * 1024;

/** Answers upgrades whose reply turned out to be a stream: each line goes out as a text frame (rule WATCH-29). */
export class WebSocketStreams {
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: longestClientFrame,
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith(bearerProtocolPrefix)) ?? false,
  });

  /** Resolves when the stream or the connection has ended. Throws if the stream does. */
  async send(message: IncomingMessage, socket: Duplex, head: Buffer, reply: Reply): Promise<void> {
    if (!isStream(reply)) return;
    const extra = Object.entries(reply.headers).filter(([name]) => name === 'audit-id' || name === 'warning');
    const addHeaders = (lines: string[]) => {
      for (const [name, value] of extra) for (const one of [value].flat()) lines.push(`${name}: ${one}`);
    };
    this.#server.once('headers', addHeaders);
    const webSocket = await new Promise<WebSocket>((resolve, reject) => {
      socket.once('close', () => reject(new Error('closed')));
      this.#server.handleUpgrade(message, socket, head, resolve);
    }).catch(() => undefined);
    this.#server.off('headers', addHeaders);
    if (webSocket === undefined) return;
    webSocket.on('error', () => webSocket.terminate());
    try {
      if (isFeed(reply.body)) await sendFeed(webSocket, reply.body);
      else await sendChunks(webSocket, reply.body);
      await closed(webSocket, 1000);
    } catch (error) {
      await closed(webSocket, 1011);
      throw error;
    }
  }
}

async function sendFeed(webSocket: WebSocket, feed: Feed<Uint8Array>): Promise<void> {
  try {
    while (webSocket.readyState === WebSocket.OPEN && !feed.over) {
      const line = feed.take();
      if (line !== undefined) await sent(webSocket, line.subarray(0, -1));
      else if (!feed.over) await new Promise<void>((resolve) => feed.wait(resolve));
    }
  } finally {
    feed.close();
  }
}

async function sendChunks(webSocket: WebSocket, chunks: AsyncIterable<string>): Promise<void> {
  for await (const chunk of chunks) {
    for (const line of chunk.split('\n')) if (line !== '') await sent(webSocket, line);
    if (webSocket.readyState !== WebSocket.OPEN) break;
  }
}

/** Resolves when the frame left for the socket or cannot leave any more: never faster than the client reads. */
function sent(webSocket: WebSocket, line: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState !== WebSocket.OPEN) resolve();
    else webSocket.send(line, { binary: false }, () => resolve());
  });
}

/** A client that does not answer the close is cut off by the library's own timer. */
function closed(webSocket: WebSocket, code: number): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState === WebSocket.CLOSED) resolve();
    else {
      webSocket.once('close', () => resolve());
      webSocket.close(code);
    }
  });
}
