import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply, UpgradedBody } from '../reply.ts';
import type { RequestEnd } from '../request/request-end.ts';
import type { StalledReaderMonitor } from './stalled-reader-monitor.ts';

/** The time in which the backend must close its connection after the client has closed. */
const backendCloseTimeoutMilliseconds = 5_000;
/**
 * The time in which the client must close its connection after the backend has closed. The time is long, because a slow
 * client may still have to read megabytes. If the server closed the connection first and then received data from the
 * client, such as a ping, the kernel would discard the unread data.
 */
const clientCloseTimeoutMilliseconds = 300_000;

/**
 * Responds with `101` and forwards bytes between client and backend until one of the two connections closes. `head`
 * contains the bytes that the client sent after its request. Resolves after both connections have closed. Never
 * rejects.
 */
export async function switchProtocols(
  client: Duplex & { readonly bytesWritten: number },
  head: Uint8Array,
  reply: Reply & { body: UpgradedBody },
  { end, stalled }: { readonly end: RequestEnd; readonly stalled: StalledReaderMonitor },
): Promise<void> {
  const { socket } = reply.body;
  const ends = [whenClosed(client), whenClosed(socket)];
  if (client.destroyed || socket.destroyed) {
    client.destroy();
    socket.destroy();
  } else {
    client.write(replyHead(reply));
    if (head.length > 0) client.unshift(head);
    const stopWatching = stalled.watch(client, () => client.bytesWritten);
    client.once('close', stopWatching);
    joinSockets(client, socket);
    end.onEnd(() => {
      // If the client has closed the connection itself, its last bytes may still be on their way to the backend.
      if (!client.closed) client.destroy();
    });
  }
  await Promise.all(ends);
}

/**
 * Forwards bytes in both directions, with backpressure. If one side ends, the other side is ended too. If the backend
 * fails, the data that it has already sent is still delivered to the client. If the client fails, the backend is
 * destroyed.
 */
function joinSockets(client: Duplex, backend: Duplex): void {
  // When one side has sent everything, `pipe` ends the other side.
  client.pipe(backend);
  backend.pipe(client);
  for (const socket of [client, backend]) socket.once('error', () => socket.destroy());
  client.once('close', () => {
    if (client.readableEnded) destroyLater(backend, backendCloseTimeoutMilliseconds);
    else backend.destroy();
  });
  backend.once('close', () => {
    client.end();
    // Discard further data of the client, because the kernel resets a connection that is closed with unread data.
    client.unpipe().resume();
    destroyLater(client, clientCloseTimeoutMilliseconds);
  });
}

/** Destroys a socket after the given time, unless the socket closes earlier. */
function destroyLater(socket: Duplex, milliseconds: number): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

function whenClosed(socket: Duplex): Promise<void> {
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Returns the first lines of a response with 101. */
export function replyHead({ headers }: Reply): string {
  const lines = ['HTTP/1.1 101 Switching Protocols'];
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) {
      validateHeaderName(name);
      validateHeaderValue(name, one);
      lines.push(`${name}: ${one}`);
    }
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
