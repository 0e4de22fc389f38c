import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply, UpgradedBody } from './exchange.ts';
import type { RequestEnd } from './request-end.ts';
import type { StalledReaders } from './stalled-reader.ts';

/** How long what is behind may take to go once the client has. */
const behindMayTakeMilliseconds = 5_000;
/**
 * A client that reads slowly has megabytes before it which have left this process already. Whoever closes while such a
 * client still says something, a ping for instance, makes the kernel throw them away: it is waited for, until it goes.
 */
const clientMayTakeMilliseconds = 300_000;

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

/**
 * Bytes go both ways, never faster than they are taken. Each side has the other's end. What has come from behind goes to
 * the client, also when it fails there; when the client fails, what is behind has no one to go on for.
 */
function joinSockets(client: Duplex, behind: Duplex): void {
  // To pipe ends the other side, too, when this one has sent all.
  client.pipe(behind);
  behind.pipe(client);
  for (const socket of [client, behind]) socket.once('error', () => socket.destroy());
  client.once('close', () => {
    if (client.readableEnded) destroyLater(behind, behindMayTakeMilliseconds);
    else behind.destroy();
  });
  behind.once('close', () => {
    client.end();
    // Nobody takes what it says from now on; unread, it would count as not delivered.
    client.unpipe().resume();
    destroyLater(client, clientMayTakeMilliseconds);
  });
}

/** It has been told that nothing comes any more; whoever does not go by itself is sent. */
function destroyLater(socket: Duplex, milliseconds: number): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), milliseconds);
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
