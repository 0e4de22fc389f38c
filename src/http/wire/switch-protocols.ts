import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply, UpgradedBody } from '../reply.ts';
import type { RequestEnd } from '../request/request-end.ts';
import type { StalledReaderMonitor } from './stalled-reader-monitor.ts';

/** The time that the backend gets to close after the client has closed. */
const backendCloseTimeoutMilliseconds = 5_000;
/**
 * The time that a client gets to close after the backend has closed. A slow reader may have megabytes pending that have
 * already left this process. If the server closed while the client still sends something, such as a ping, the kernel
 * would discard them.
 */
const clientCloseTimeoutMilliseconds = 300_000;

/**
 * Responds with `101` and connects the client to the backend of the upgraded protocol until one of them closes. `head`
 * is what the client has sent already. Resolves when both are closed; never rejects.
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
    client.write(headOf(reply));
    if (head.length > 0) client.unshift(head);
    const stopWatching = stalled.watch(client, () => client.bytesWritten);
    client.once('close', stopWatching);
    joinSockets(client, socket);
    end.onEnd(() => {
      // If the client has closed by itself, its last bytes are still on their way.
      if (!client.closed) client.destroy();
    });
  }
  await Promise.all(ends);
}

/**
 * Pipes bytes in both directions with backpressure. Each side gets the end of the other. Data from the backend is
 * delivered to the client even if the backend fails. If the client fails, the backend is destroyed.
 */
function joinSockets(client: Duplex, backend: Duplex): void {
  // `pipe` also ends the other side when this one has sent everything.
  client.pipe(backend);
  backend.pipe(client);
  for (const socket of [client, backend]) socket.once('error', () => socket.destroy());
  client.once('close', () => {
    if (client.readableEnded) destroyLater(backend, backendCloseTimeoutMilliseconds);
    else backend.destroy();
  });
  backend.once('close', () => {
    client.end();
    // Discards what the client still sends: unread data would make the kernel reset the connection.
    client.unpipe().resume();
    destroyLater(client, clientCloseTimeoutMilliseconds);
  });
}

/** Destroys a socket that does not close by itself after its peer has ended. */
function destroyLater(socket: Duplex, milliseconds: number): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

function whenClosed(socket: Duplex): Promise<void> {
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));
}

function headOf({ headers }: Reply): string {
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
