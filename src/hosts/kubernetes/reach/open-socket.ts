import { connect, type Socket } from 'node:net';
import type { Clock } from '../../../lib/clock.ts';
import { unlessAborted } from '../../../lib/unless-aborted.ts';
import { noResponse } from './no-response.ts';

/** Opens a new connection to one server, ready for HTTP. Rejects with StatusError 503. The caller must close it. */
export type Dial = (signal: AbortSignal) => Promise<Socket>;

/** Registers a resource of an attempt, so that it is destroyed if the attempt fails. */
export type TrackResource = (resource: { destroy(): unknown }) => void;

export interface SocketAttempt {
  readonly clock: Clock;
  /** The timeout for the whole attempt, in milliseconds. */
  readonly timeout: number;
  /** The name of the server in error messages. */
  readonly where: string;
  readonly signal: AbortSignal;
}

/**
 * Runs the steps of an attempt. Destroys its resources and aborts the steps on timeout, on the signal or on an error.
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
    throw noResponse(error, { where, timeout });
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

export async function connectTcp(target: { host: string; port: number }, track: TrackResource): Promise<Socket> {
  // Keep-alive detects a peer that disappeared silently, which nothing else would on a quiet watch.
  const socket = connect({ ...target, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 });
  return await waitForSocket(socket, 'connect', track);
}

/** Resolves with the socket at the event, or rejects with the error. */
export function waitForSocket<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  track: TrackResource,
): Promise<S> {
  track(socket);
  // An error while nothing else handles it must not end the process.
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
