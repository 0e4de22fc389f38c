import { connect, type Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { noAnswer } from './no-answer.ts';

/** A new connection to one server, ready for HTTP. Rejects with StatusError 503. Whoever gets it ends it. */
export type Dial = (signal: AbortSignal) => Promise<Socket>;

/** Told of everything that is begun on the way, so that all of it is ended where it comes to nothing. */
export type Begun = (begun: { destroy(): unknown }) => void;

export interface Attempt {
  readonly clock: Clock;
  /** Milliseconds until the connection stands, with everything in between. */
  readonly timeout: number;
  /** For the words of an error. */
  readonly where: string;
  readonly signal: AbortSignal;
}

/** Ends what has begun, by the steps' own signal too, where the time is over, the signal fires or a step fails. */
export async function openSocket<S extends Socket>(
  { clock, timeout, where, signal }: Attempt,
  steps: (begun: Begun, signal: AbortSignal) => Promise<S>,
): Promise<S> {
  signal.throwIfAborted();
  const all: { destroy(): unknown }[] = [];
  const stop = new AbortController();
  const cancel = clock.after(timeout, () => stop.abort(Object.assign(new Error('too slow'), { code: 'ETIMEDOUT' })));
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const begun: Begun = (one) => {
    all.push(one);
    if (stop.signal.aborted) one.destroy();
  };
  try {
    return await unlessAborted(steps(begun, stop.signal), stop.signal);
  } catch (error) {
    stop.abort(error);
    for (const one of all) one.destroy();
    if (signal.aborted) throw signal.reason;
    throw noAnswer(error, { where, timeout });
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

export async function tcpTo(target: { host: string; port: number }, begun: Begun): Promise<Socket> {
  // A peer that is gone without a word is noticed: nobody else would on a watch on which nothing happens.
  const socket = connect({ ...target, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 });
  return await standing(socket, 'connect', begun);
}

/** Settles with the socket when it is as far as that, rejects with what went wrong. */
export function standing<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', begun: Begun): Promise<S> {
  begun(socket);
  // An error while nobody has it in hand is of no interest, and must not end the process.
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
