import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { connectTls } from '../raw-connection.ts';
import type { Response, Tenant } from './tenant.ts';

/** The longest time for which an attack keeps a connection open. */
const connectionMs = 1_000;

/**
 * Opens a connection, sends each part as soon as the server has received the previous parts, and closes the connection
 * after a second, unless the server closes it first. The status comes from the first line of HTTP/1.1 that arrives;
 * otherwise it is 0.
 */
export async function sendParts(
  tenant: Tenant,
  protocol: 'http/1.1' | 'h2',
  parts: Iterable<Buffer>,
): Promise<Response> {
  const socket = await connectTls(tenant, [protocol]);
  let text = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    if (text.length < 1_000) text += bytes.toString('latin1');
  });
  // `once` of node:events would reject if the server resets the connection. A reset is allowed.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const sent = sendAll(socket, parts);
  await Promise.race([closed, pause(connectionMs, undefined, { ref: false })]);
  socket.destroy();
  await sent;
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text };
}

async function sendAll(socket: TLSSocket, parts: Iterable<Buffer>): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed || !socket.writable) return;
    if (!socket.write(part)) await drainedOrClosed(socket);
  }
}

function drainedOrClosed(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    if (socket.destroyed) resolve();
    else socket.on('drain', done).on('close', done);
  });
}
