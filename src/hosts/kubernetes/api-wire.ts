import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Pool } from 'undici';
import { badRequest, serviceUnavailable, tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { once } from '../../lib/once.ts';
import { Slots } from '../../lib/slots.ts';
import type { ApiResponse, UpgradedConnection } from '../host.ts';
import { codeOf, NoAnswerError, noAnswer } from './no-answer.ts';
import type { Dial } from './open-socket.ts';
import type { HeaderLines } from './request-headers.ts';
import { upgradeOn } from './upgrade-on.ts';
import { WireAnswer } from './wire-answer.ts';

export interface ApiWireOptions {
  /** What the server is addressed by: `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** For the words of an error: the origin's host, unless said. */
  readonly where?: string;
  readonly dial: Dial;
  readonly clock: Clock;
  /** Milliseconds until the head of an answer is there. */
  readonly answerTimeout: number;
  /** How many of the requests that end soon are under way at the same time; the others wait. */
  readonly mostConnections: number;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: HeaderLines;
  readonly body?: AsyncIterable<Uint8Array>;
  /** Of the body, where it is known. */
  readonly length?: number | undefined;
  readonly signal: AbortSignal;
}

/** HTTP/1.1 to one server over connections that are kept for the next request. Rejects with StatusError. */
export interface ApiWire {
  send(request: WireRequest): Promise<ApiResponse>;
  upgrade(request: WireRequest): Promise<ApiResponse | UpgradedConnection>;
  /** A connection for whoever speaks HTTP by themselves. It ends when the wire is closed. */
  connect(signal: AbortSignal): Promise<Socket>;
  /** How many connections there are now, those that wait for a request among them. */
  readonly connections: number;
  /** Ends everything that is open, at once. */
  close(): Promise<void>;
}

/** Requests that wait for one of these connections; who comes then is told to come back. */
const mostWaiting = 2000;
/** Go's servers end connections that nobody used for 90 s and more; whoever ends them first need not try again. */
const idleTimeout = 55_000;
/** Bodies up to here are sent when they are there as a whole: a slow client then holds no connection. */
const wholeBody = 64 * 1024;

export function openApiWire(options: ApiWireOptions): ApiWire {
  const { origin, dial, clock, answerTimeout, mostConnections } = options;
  const { host } = new URL(origin);
  const { where = host } = options;
  const closing = new AbortController();
  // Each connection that is being made listens.
  setMaxListeners(0, closing.signal);
  const sockets = new Set<Socket>();
  const slots = new Slots(mostConnections, mostWaiting);

  async function connect(signal: AbortSignal): Promise<Socket> {
    closing.signal.throwIfAborted();
    const socket = await dial(signal);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (closing.signal.aborted) socket.destroy();
    return socket;
  }

  const pool = async (connections: number | null): Promise<Pool> => {
    // A tenth of the time in which a server starts, for what many never need.
    // Not by its name: in the built program a package that is no ECMAScript module has its default alone.
    const { default: undici } = await import('undici');
    const { Pool: ConnectionPool } = undici;
    return new ConnectionPool(origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: idleTimeout,
      keepAliveMaxTimeout: idleTimeout,
      headersTimeout: answerTimeout,
      bodyTimeout: 0,
      connect: (_, done) => {
        connect(closing.signal).then(
          (socket) => done(null, socket),
          (error: Error) => done(error, null),
        );
      },
    });
  };
  // A pool has room for thousands from the start: one that nobody needs would be most of what a wire takes. Nobody waits
  // in there for long, as each has a slot: who has given up would stay in line.
  const brief = once(() => pool(mostConnections));
  // Each has a connection of its own, so that no number of watches takes one from the others.
  const lasting = once(() => pool(null));

  function failure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (closing.signal.aborted) return serviceUnavailable(`the connection to ${where} is closed`);
    if (unsendable.has(codeOf(error))) return badRequest(`the request cannot be passed on to ${where}`);
    return noAnswer(error, { where, timeout: answerTimeout });
  }

  async function ask(request: WireRequest, body: Buffer | Readable | undefined): Promise<ApiResponse> {
    const { method, path, headers, signal } = request;
    const lasts = mayLast(path);
    const dispatcher = await (lasts ? lasting : brief).get();
    const onOver = lasts ? () => {} : await slot(signal);
    if (signal.aborted) {
      onOver();
      throw signal.reason;
    }
    const answer = new WireAnswer({ signal, onOver, translate: (error) => failure(error, signal) });
    const asked = { method, path, headers: headers as string[], body: body ?? null };
    dispatcher.dispatch(lasts ? { ...asked, headersTimeout: 0 } : asked, answer);
    return await answer.head;
  }

  async function slot(signal: AbortSignal): Promise<() => void> {
    if (slots.isFull) throw tooManyRequests(`too many requests wait for ${where}, please try again later`, 1);
    return await slots.take(signal);
  }

  async function send(request: WireRequest): Promise<ApiResponse> {
    const { method, body, length } = request;
    if (body === undefined) {
      try {
        return await ask(request, undefined);
      } catch (error) {
        // The server may end a connection that waits in the same moment in which it is used.
        const isBroken = error instanceof NoAnswerError && error.why === 'ConnectionEnded';
        if (!isBroken || (method !== 'GET' && method !== 'HEAD')) throw error;
        return await ask(request, undefined);
      }
    }
    if (length !== undefined && length <= wholeBody) return await ask(request, await whole(body));
    const faults: unknown[] = [];
    const noted = noting(body, (fault) => faults.push(fault));
    try {
      return await ask(request, Readable.from(noted, { objectMode: false }));
    } catch (error) {
      throw faults.length === 0 ? error : faults[0];
    }
  }

  return {
    async send(request) {
      closing.signal.throwIfAborted();
      request.signal.throwIfAborted();
      return await send(request);
    },
    async upgrade(request) {
      try {
        const socket = await connect(request.signal);
        return await upgradeOn(socket, { ...request, host }, { clock, timeout: answerTimeout });
      } catch (error) {
        throw failure(error, request.signal);
      }
    },
    connect,
    get connections() {
      return sockets.size;
    },
    async close() {
      closing.abort(serviceUnavailable(`the connection to ${where} is closed`));
      for (const socket of sockets) socket.destroy();
      const pools = await Promise.all([brief.made, lasting.made]);
      await Promise.all(pools.map((each) => each?.destroy()));
    },
  };
}

const unsendable = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

/** Whether an answer may take any time to begin, and to end. What merely looks so loses nothing. */
function mayLast(path: string): boolean {
  return /[?&](?:watch|follow)=|\/(?:log|exec|attach|portforward|proxy)(?:[/?]|$)|\/watch\//.test(path);
}

async function whole(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* noting(body: AsyncIterable<Uint8Array>, note: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    note(error);
    throw error;
  }
}
