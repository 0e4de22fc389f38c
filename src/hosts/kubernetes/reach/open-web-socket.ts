import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isJsonObject } from '@flotilla/json';
import { WebSocket } from 'ws';
import { type Status, StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { NoResponseError, noResponse } from './no-response.ts';
import type { RawHeaders } from './request-headers.ts';

export interface WebSocketRequest {
  readonly path: string;
  readonly headers: RawHeaders;
  readonly protocol: string;
  /** For the request and for error messages. */
  readonly host: string;
  readonly clock: Clock;
  /** The timeout for the handshake, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** A byte stream needs no longer messages. */
const maxMessageLength = 4 * 1024 * 1024;

/**
 * Opens a WebSocket on a dedicated connection. Rejects with StatusError: the server's own if it declines, 503 if it
 * does not respond; the connection is then closed. The signal applies until the WebSocket is open. The WebSocket starts
 * paused.
 */
export async function openWebSocket(socket: Socket, request: WebSocketRequest): Promise<WebSocket> {
  const { path, headers, protocol, host, clock, timeout, signal } = request;
  // The URL scheme does not matter: the connection already exists.
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
        // Paused until the caller listens: messages right behind the response would be lost.
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
    throw noResponse(error, { where: host, timeout });
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

/** Returns the server's own error if the body is a Status. */
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
    // The body is not a Status. The error below contains only the code.
  }
  return new NoResponseError('ConnectionEnded', `${host} returned status ${code} for a WebSocket request`);
}
