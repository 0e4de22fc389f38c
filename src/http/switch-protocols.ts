import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply, UpgradedBody } from './exchange.ts';
import type { RequestEnd } from './request-end.ts';
import type { StalledReaders } from './stalled-reader.ts';

/** How long one side may take to go once the other one has. */
const lingerMilliseconds = 5_000;

/**
 * Answers `101`, and joins the client with what is behind the other protocol until one of them ends it. `head`: what the
 * client has sent already. Resolves when both are closed; never rejects.
 */
export async function switchProtocols(
  client: Duplex & { readonly bytesWritten: number },
  head: Uint8Array,
  reply: Reply & { body: UpgradedBody },
  { end, stalled }: { readonly end: RequestEnd; readonly stalled: StalledReaders },
): Promise<void> {
  const { socket } = reply.body;
  const ends = [closed(client), closed(socket)];
  if (client.destroyed || socket.destroyed) {
    client.destroy();
    socket.destroy();
  } else {
    client.write(headOf(reply));
    if (head.length > 0) client.unshift(head);
    const stopWatching = stalled.watch(client, () => client.bytesWritten);
    client.once('close', stopWatching);
    joinSockets(client, socket);
    end.follow(() => {
      // Where the client has gone by itself, what it sent last is still on its way.
      if (!client.closed) client.destroy();
    });
  }
  await Promise.all(ends);
}

/** Bytes go both ways, never faster than they are taken. Each side has the other's end, and its failure. */
export function joinSockets(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    // Ends the other side, too, when this one has sent all.
    from.pipe(to);
    from.once('error', () => from.destroy());
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
      else if (!to.destroyed) destroyLater(to);
    });
  }
}

/** It has been told that nothing comes any more; whoever does not go by itself is sent. */
function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

function closed(socket: Duplex): Promise<void> {
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
