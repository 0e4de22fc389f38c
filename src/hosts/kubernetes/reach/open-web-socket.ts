import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '@flotilla/json';
import { WebSocket } from 'ws';
import { type Status, StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { NoResponseError, toNoResponseError } from './no-response.ts';
import type { DialedSocket } from './open-socket.ts';
import type { RawHeaders } from './request-headers.ts';

export interface WebSocketRequest {
  readonly path: string;
  readonly headers: RawHeaders;
  readonly protocol: string;
  /** The host and port of the server, for the `Host` header and for error messages. */
  readonly host: string;
  readonly clock: Clock;
  /** The timeout for the handshake, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/**
 * Maximum size of a received message. A larger message is never necessary, because a byte stream can be split anywhere.
 */
const maxMessageLength = 4 * 1024 * 1024;

/**
 * Opens a WebSocket on an existing connection, which is used for nothing else. If the server declines the WebSocket,
 * rejects with the Status that the server sent. If there is no response or no Status, rejects with StatusError 503. In
 * both cases the connection is closed. The signal can abort only the handshake. The WebSocket starts paused.
 */
export async function openWebSocket(socket: DialedSocket, request: WebSocketRequest): Promise<WebSocket> {
  const { path, headers, protocol, host, clock, timeout, signal } = request;
  // The scheme `ws:` has no effect, because the connection exists already.
  const webSocket = new WebSocket(`ws://${host}${path}`, [protocol], {
    createConnection: (() => socket) as never,
    perMessageDeflate: false,
    maxPayload: maxMessageLength,
    headers: toRecord(headers),
  });
  const end = () => webSocket.terminate();
  const cancel = clock.after(timeout, () => {
    socket.destroy(Object.assign(new Error('no answer'), { code: 'UND_ERR_HEADERS_TIMEOUT' }));
  });
  signal.addEventListener('abort', end, { once: true });
  try {
    const declined = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
      webSocket.once('open', () => {
        // Pause until the caller adds a listener. Otherwise messages that immediately follow the handshake would be
        // lost.
        webSocket.pause();
        resolve(undefined);
      });
      webSocket.on('error', reject);
      webSocket.once('unexpected-response', (_, response) => resolve(response));
    });
    if (declined !== undefined) throw await declinedError(host, declined);
    return webSocket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    throw toNoResponseError(error, { where: host, timeout });
  } finally {
    cancel();
    signal.removeEventListener('abort', end);
  }
}

function toRecord(lines: RawHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 2) headers[lines[at] ?? ''] = lines[at + 1] ?? '';
  return headers;
}

/** Returns the error of a server that declined the WebSocket: its own Status, or a NoResponseError. */
async function declinedError(host: string, response: IncomingMessage): Promise<StatusError> {
  const code = response.statusCode ?? 0;
  let text = '';
  try {
    for await (const chunk of response) {
      text += String(chunk);
      if (text.length > 16_384) break;
    }
    const status: unknown = JSON.parse(text);
    if (isJsonObject(status) && status.kind === 'Status') return new StatusError(status as unknown as Status);
  } catch {
    // The body is not a Status, so the error contains only the status code.
  }
  return new NoResponseError('ConnectionEnded', `${host} returned status ${code} for a WebSocket request`);
}
