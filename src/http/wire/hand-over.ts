import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { webSocketStream } from '../../lib/web-socket-stream.ts';
import type { Reply, TakenOverBody } from '../reply.ts';
import { replyHead } from './switch-protocols.ts';
import { answerLatestPing } from './web-socket.ts';

/** A connection on which a client has requested an upgrade. */
interface UpgradeAttempt {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly isWebSocket: boolean;
}

const maxMessageBytes = 16 * 1024 * 1024;

/** Accepts an upgrade and gives the connection to the handler. Resolves when the connection is closed. */
export async function handOver(attempt: UpgradeAttempt, reply: Reply & { body: TakenOverBody }): Promise<void> {
  const { socket } = attempt;
  const connection = attempt.isWebSocket ? await acceptWebSocket(attempt, reply) : await acceptUpgrade(attempt, reply);
  if (connection === undefined) {
    socket.destroy();
    return;
  }
  await reply.body.takeOver(connection);
}

/**
 * Sends the response and waits until it is sent, because an HTTP/2 session that uses the socket afterwards expects that
 * nothing else writes to it. Refuses a client that sends data before it gets the response.
 */
async function acceptUpgrade(
  { socket, head }: UpgradeAttempt,
  reply: Reply & { body: TakenOverBody },
): Promise<Duplex | undefined> {
  if (head.length > 0 || socket.destroyed) return undefined;
  reply.headers.connection = 'Upgrade';
  reply.headers.upgrade = reply.body.protocol;
  return await new Promise((resolve) => {
    socket.write(replyHead(reply), (error) => resolve(error == null ? socket : undefined));
  });
}

async function acceptWebSocket(
  { message, socket, head }: UpgradeAttempt,
  { body }: Reply & { body: TakenOverBody },
): Promise<Duplex | undefined> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => (offered.has(body.protocol) ? body.protocol : false),
  });
  if (socket.destroyed) return undefined;
  const webSocket = await new Promise<WebSocket | undefined>((resolve) => {
    socket.once('close', () => resolve(undefined));
    server.handleUpgrade(message, socket, head, resolve);
  });
  if (webSocket === undefined) return undefined;
  answerLatestPing(webSocket);
  return webSocketStream(webSocket);
}
