import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../lib/clock.ts';
import type { OutgoingAddresses } from '../../../lib/outgoing-addresses.ts';
import { unlessAborted } from '../../../lib/unless-aborted.ts';
import { toNoResponseError } from './no-response.ts';

/**
 * Opens a new connection to one server, on which HTTP requests can be sent. Rejects with StatusError 503. The caller
 * must close the connection.
 */
export type Dial = (signal: AbortSignal) => Promise<DialedSocket>;

/** A connection on which HTTP requests can be sent: a socket, or a stream in a tunnel. */
export type DialedSocket = Duplex & { ref(): unknown; unref(): unknown };

/** Registers a socket that a connection attempt has opened. The socket is destroyed if the attempt fails. */
export type TrackResource = (resource: { destroy(): unknown }) => void;

export interface SocketAttempt {
  readonly clock: Clock;
  /** The timeout for all steps of the connection attempt together, in milliseconds. */
  readonly timeout: number;
  /** The name of the server in error messages. */
  readonly where: string;
  readonly signal: AbortSignal;
}

/**
 * Runs the steps of a connection attempt. On timeout, on abort or on an error, it aborts the steps and destroys all
 * registered sockets.
 */
export async function openSocket<S extends Socket>(
  { clock, timeout, where, signal }: SocketAttempt,
  steps: (track: TrackResource, signal: AbortSignal) => Promise<S>,
): Promise<S> {
  signal.throwIfAborted();
  const resources: { destroy(): unknown }[] = [];
  const stop = new AbortController();
  const cancel = clock.after(timeout, () => stop.abort(Object.assign(new Error('too slow'), { code: 'ETIMEDOUT' })));
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const track: TrackResource = (resource) => {
    resources.push(resource);
    if (stop.signal.aborted) resource.destroy();
  };
  try {
    return await unlessAborted(steps(track, stop.signal), stop.signal);
  } catch (error) {
    stop.abort(error);
    for (const resource of resources) resource.destroy();
    if (signal.aborted) throw signal.reason;
    throw toNoResponseError(error, { where, timeout });
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Opens a TCP connection. Rejects if `addresses` denies the address of the target. */
export async function connectTcp(
  target: { host: string; port: number },
  track: TrackResource,
  addresses?: OutgoingAddresses,
): Promise<Socket> {
  addresses?.checkLiteral(target.host);
  // TCP keep-alive detects a server that has disappeared silently. A watch without events would not notice it
  // otherwise.
  const lookup = addresses === undefined ? {} : { lookup: addresses.lookup };
  const socket = connect({ ...target, ...lookup, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 });
  return await waitForSocket(socket, 'connect', track);
}

/** Resolves with the socket after the event, or rejects with the error of the socket. */
export function waitForSocket<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  track: TrackResource,
): Promise<S> {
  track(socket);
  // Without this listener, an error that occurs when there is no other listener would end the process.
  socket.on('error', () => {});
  return new Promise((resolve, reject) => {
    const onClose = () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    socket.once('error', reject);
    socket.once('close', onClose);
    socket.once(event, () => {
      socket.off('error', reject);
      socket.off('close', onClose);
      resolve(socket);
    });
  });
}
