import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { isJsonObject } from '../../lib/json-value.ts';
import { NoAnswerError, noAnswer } from './no-answer.ts';
import type { HeaderLines } from './request-headers.ts';

export interface WebSocketRequest {
  readonly path: string;
  readonly headers: HeaderLines;
  readonly protocol: string;
  /** For the request, and for the words of an error. */
  readonly host: string;
  readonly clock: Clock;
  /** Milliseconds until it is open. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** What carries a stream of bytes has no use for longer messages. */
const longestMessage = 4 * 1024 * 1024;

/**
 * A WebSocket on a connection that nobody else uses. Rejects with StatusError: the server's own where it says no, 503
 * where it says nothing. Ends the connection then. Afterwards the signal has no part in it. It is paused at first.
 */
export async function openWebSocket(socket: Socket, request: WebSocketRequest): Promise<WebSocket> {
  const { path, headers, protocol, host, clock, timeout, signal } = request;
  // Whatever the connection is made of, it is a connection already.
  const webSocket = new WebSocket(`ws://${host}${path}`, [protocol], {
    createConnection: (() => socket) as never,
    perMessageDeflate: false,
    maxPayload: longestMessage,
    headers: pairs(headers),
  });
  const end = () => webSocket.terminate();
  const cancel = clock.after(timeout, () => {
    socket.destroy(Object.assign(new Error('no answer'), { code: 'UND_ERR_HEADERS_TIMEOUT' }));
  });
  signal.addEventListener('abort', end, { once: true });
  try {
    const refused = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
      webSocket.once('open', () => {
        // Until somebody listens: what comes right behind the answer would be lost.
        webSocket.pause();
        resolve(undefined);
      });
      webSocket.on('error', reject);
      webSocket.once('unexpected-response', (_, answer) => resolve(answer));
    });
    if (refused !== undefined) throw await refusal(host, refused);
    return webSocket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    throw noAnswer(error, { where: host, timeout });
  } finally {
    cancel();
    signal.removeEventListener('abort', end);
  }
}

function pairs(lines: HeaderLines): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 2) headers[lines[at] ?? ''] = lines[at + 1] ?? '';
  return headers;
}

/** In the server's own words, where they are a Status. */
async function refusal(host: string, answer: IncomingMessage): Promise<StatusError> {
  const code = answer.statusCode ?? 0;
  let text = '';
  try {
    for await (const chunk of answer) {
      text += String(chunk);
      if (text.length > 16_384) break;
    }
    const status: unknown = JSON.parse(text);
    if (isJsonObject(status) && status.kind === 'Status') return new StatusError(status as unknown as Status);
  } catch {
    // No Status: the code has to do.
  }
  return new NoAnswerError('ConnectionEnded', `${host} answered ${code} to a request for a WebSocket`);
}
