import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Feed } from '../../lib/feed.ts';
import { isFeed, isStream, type Reply } from '../reply.ts';

/** Prefix of the subprotocol in which browsers send a token, because they cannot set headers on a WebSocket. */
export const bearerProtocolPrefix = 'base64url.bearer.authorization.k8s.io.';

/** Size limit of a frame from a client. Watch clients need not send anything, so small frames are ignored. */
const maxClientFrameBytes = 64 * 1024;

/** Sends a streaming response over a WebSocket, each line as one text frame (rule WATCH-29). */
export class WebSocketStreams {
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: maxClientFrameBytes,
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith(bearerProtocolPrefix)) ?? false,
  });

  /**
   * Upgrades the connection and sends the stream. Resolves at the end of the stream or of the connection. If the stream
   * throws, rejects with that error.
   */
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
    answerLatestPing(webSocket);
    try {
      if (isFeed(reply.body)) await sendFeed(webSocket, reply.body);
      else await sendChunks(webSocket, reply.body);
      await closeAndWait(webSocket, 1000);
    } catch (error) {
      await closeAndWait(webSocket, 1011);
      throw error;
    }
  }
}

/**
 * Answers only the latest of the pings that arrive in a tick of the event loop, as the protocol permits. A ping has
 * only six bytes, so a client could otherwise cause hundreds of thousands of writes with a megabyte of pings.
 */
export function answerLatestPing(webSocket: WebSocket): void {
  let latest: Buffer | undefined;
  webSocket.on('ping', (data) => {
    const isScheduled = latest !== undefined;
    latest = data;
    if (isScheduled) return;
    setImmediate(() => {
      if (webSocket.readyState === WebSocket.OPEN) webSocket.pong(latest);
      latest = undefined;
    });
  });
}

async function sendFeed(webSocket: WebSocket, feed: Feed<Uint8Array>): Promise<void> {
  try {
    while (webSocket.readyState === WebSocket.OPEN && !feed.isEnded) {
      const line = feed.take();
      if (line !== undefined) await sendLine(webSocket, line.subarray(0, -1));
      else if (!feed.isEnded) await new Promise<void>((resolve) => feed.wait(resolve));
    }
  } finally {
    feed.close();
  }
}

async function sendChunks(webSocket: WebSocket, chunks: AsyncIterable<string>): Promise<void> {
  for await (const chunk of chunks) {
    for (const line of chunk.split('\n')) if (line !== '') await sendLine(webSocket, line);
    if (webSocket.readyState !== WebSocket.OPEN) break;
  }
}

/**
 * Sends one line as a text frame. Resolves after the socket has accepted the line, so no line is sent faster than the
 * client reads.
 */
function sendLine(webSocket: WebSocket, line: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState !== WebSocket.OPEN) resolve();
    else webSocket.send(line, { binary: false }, () => resolve());
  });
}

/**
 * Closes the WebSocket and waits until it is closed. If the client does not acknowledge the close, the library
 * disconnects the client.
 */
function closeAndWait(webSocket: WebSocket, code: number): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState === WebSocket.CLOSED) resolve();
    else {
      webSocket.once('close', () => resolve());
      webSocket.close(code);
    }
  });
}
