import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Pool } from 'undici';
import { badRequest, serviceUnavailable, tooManyRequests } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type LazyValue, lazyValue } from '../../../lib/lazy-value.ts';
import { Semaphore } from '../../../lib/queue/semaphore.ts';
import type { ApiResponse, UpgradedConnection } from '../../host.ts';
import type { HttpPoolRequest } from './http-pool-request.ts';
import { NoResponseError, networkErrorCode, toNoResponseError } from './no-response.ts';
import type { Dial, DialedSocket } from './open-socket.ts';
import { ResponseStream } from './response-stream.ts';
import { upgradeConnection } from './upgrade-connection.ts';

export interface HttpPoolOptions {
  /** The origin of the server, for example `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** The name of the server in error messages. Optional; defaults to the host and port of the origin. */
  readonly displayName?: string;
  readonly dial: Dial;
  readonly clock: Clock;
  /** The maximum time until the status and headers of a response arrive, in milliseconds. */
  readonly responseTimeoutMs: number;
  /** The maximum number of concurrent short requests. Further requests wait until another request has ended. */
  readonly maxConnections: number;
  /** The time after which an idle connection is closed, in milliseconds. Optional; defaults to 55 seconds. */
  readonly idleTimeoutMs?: number | undefined;
}

/** An HTTP/1.1 client for one server with a pool of keep-alive connections. Rejects with StatusError. */
export interface HttpPool {
  send(request: HttpPoolRequest): Promise<ApiResponse>;
  upgrade(request: HttpPoolRequest): Promise<ApiResponse | UpgradedConnection>;
  /**
   * Opens a connection for a caller with its own HTTP implementation. `close` of the pool also closes this connection.
   */
  connect(signal: AbortSignal): Promise<DialedSocket>;
  /** The number of open connections, including idle ones. */
  readonly connections: number;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

/** The maximum number of requests that wait for a connection. Further requests fail with 429. */
const maxWaiting = 2000;
/**
 * Idle connections are closed after this time. Go servers close idle connections after 90 seconds or more. If this side
 * closes first, no request is sent on a connection that the server is closing.
 */
const defaultIdleTimeoutMs = 55_000;
/** Request bodies up to this size are buffered before they are sent, so that a slow client occupies no connection. */
const maxBufferedBody = 64 * 1024;

export function openHttpPool(options: HttpPoolOptions): HttpPool {
  return new UndiciHttpPool(options);
}

/**
 * The pools of undici. A pool is created on first use, because each pool allocates memory for thousands of requests.
 * Requests wait for a slot before they enter a pool, because a pool would keep aborted requests in its own queue.
 */
interface Pools {
  readonly short: LazyValue<Promise<Pool>>;
  /** Each long-running request gets its own connection, so that watches do not occupy the connections of short requests. */
  readonly long: LazyValue<Promise<Pool>>;
}

async function destroy({ short, long }: Pools): Promise<void> {
  const created = await Promise.all([short.created, long.created]);
  await Promise.all(created.map((pool) => pool?.destroy()));
}

class UndiciHttpPool implements HttpPool {
  readonly #options: HttpPoolOptions;
  readonly #host: string;
  readonly #where: string;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<DialedSocket>();
  readonly #slots: Semaphore;
  #pools = this.#lazyPools();
  /** The number of requests that use a pool. */
  #requests = 0;

  constructor(options: HttpPoolOptions) {
    this.#options = options;
    this.#host = new URL(options.origin).host;
    this.#where = options.displayName ?? this.#host;
    this.#slots = new Semaphore(options.maxConnections, maxWaiting);
    // Each connection attempt adds a listener to this signal. 0 means that Node.js does not warn about many listeners.
    setMaxListeners(0, this.#closing.signal);
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async connect(signal: AbortSignal): Promise<DialedSocket> {
    this.#closing.signal.throwIfAborted();
    const socket = await this.#options.dial(signal);
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#discardUnusedPools();
    });
    if (this.#closing.signal.aborted) socket.destroy();
    return socket;
  }

  async send(request: HttpPoolRequest): Promise<ApiResponse> {
    this.#closing.signal.throwIfAborted();
    request.signal.throwIfAborted();
    const { method, body, length } = request;
    if (body === undefined) {
      try {
        return await this.#dispatch(request, undefined);
      } catch (error) {
        // Retry once: the server may have closed the idle connection just before the request was sent.
        const isBroken = error instanceof NoResponseError && error.why === 'ConnectionEnded';
        if (!isBroken || (method !== 'GET' && method !== 'HEAD')) throw error;
        return await this.#dispatch(request, undefined);
      }
    }
    if (length !== undefined && length <= maxBufferedBody) return await this.#dispatch(request, await readAll(body));
    const bodyErrors: unknown[] = [];
    const tracked = reportingErrors(body, (error) => bodyErrors.push(error));
    try {
      return await this.#dispatch(request, Readable.from(tracked, { objectMode: false }));
    } catch (error) {
      throw bodyErrors.length === 0 ? error : bodyErrors[0];
    }
  }

  async upgrade(request: HttpPoolRequest): Promise<ApiResponse | UpgradedConnection> {
    const { clock, responseTimeoutMs } = this.#options;
    try {
      const socket = await this.connect(request.signal);
      return await upgradeConnection(socket, { ...request, host: this.#host }, { clock, timeout: responseTimeoutMs });
    } catch (error) {
      throw this.#toStatusError(error, request.signal);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(serviceUnavailable(`the connection to ${this.#where} is closed`));
    for (const socket of this.#sockets) socket.destroy();
    await destroy(this.#pools);
  }

  #lazyPools(): Pools {
    return {
      short: lazyValue(() => this.#pool(this.#options.maxConnections)),
      long: lazyValue(() => this.#pool(null)),
    };
  }

  /**
   * Frees the memory of the pools if they have neither requests nor connections. The next request creates new pools.
   */
  #discardUnusedPools(): void {
    // Deferred, because undici may still use a pool that has just ended a request.
    setImmediate(() => {
      const pools = this.#pools;
      if (this.#requests > 0 || this.#sockets.size > 0) return;
      if (pools.short.created === undefined && pools.long.created === undefined) return;
      this.#pools = this.#lazyPools();
      void destroy(pools);
    });
  }

  async #pool(connections: number | null): Promise<Pool> {
    // Loaded on demand, because loading undici takes a tenth of the server's start time and many servers never need it.
    // The default export is used because in the bundled program a CommonJS package has no named exports.
    const { default: undici } = await import('undici');
    const { Pool: UndiciPool } = undici;
    const { idleTimeoutMs = defaultIdleTimeoutMs } = this.#options;
    return new UndiciPool(this.#options.origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: idleTimeoutMs,
      keepAliveMaxTimeout: idleTimeoutMs,
      headersTimeout: this.#options.responseTimeoutMs,
      bodyTimeout: 0,
      connect: (_, done) => {
        this.connect(this.#closing.signal).then(
          (socket) => done(null, socket as Socket),
          (error: Error) => done(error, null),
        );
      },
    });
  }

  #toStatusError(error: unknown, signal: AbortSignal): unknown {
    const where = this.#where;
    if (signal.aborted) return signal.reason;
    if (this.#closing.signal.aborted) return serviceUnavailable(`the connection to ${where} is closed`);
    if (malformedRequestCodes.has(networkErrorCode(error)))
      return badRequest(`cannot forward the request to ${where}: its method, path, headers or body length is invalid`);
    return toNoResponseError(error, { where, timeout: this.#options.responseTimeoutMs });
  }

  async #dispatch(request: HttpPoolRequest, body: Buffer | Readable | undefined): Promise<ApiResponse> {
    const { method, path, headers, signal } = request;
    const isLongRunning = mayBeLongRunning(path);
    const leaveSlot = isLongRunning ? () => {} : await this.#slot(signal);
    this.#requests++;
    const onRelease = () => {
      leaveSlot();
      this.#requests--;
      if (this.#sockets.size === 0) this.#discardUnusedPools();
    };
    const dispatcher = await this.#pools[isLongRunning ? 'long' : 'short'].get();
    if (signal.aborted) {
      onRelease();
      throw signal.reason;
    }
    const response = new ResponseStream({
      signal,
      onRelease,
      translate: (error) => this.#toStatusError(error, signal),
    });
    const dispatchOptions = { method, path, headers: headers as string[], body: body ?? null };
    dispatcher.dispatch(isLongRunning ? { ...dispatchOptions, headersTimeout: 0 } : dispatchOptions, response);
    return await response.head;
  }

  async #slot(signal: AbortSignal): Promise<() => void> {
    if (this.#slots.isFull) {
      throw tooManyRequests(`too many requests are waiting for ${this.#where}, please try again later`, 1);
    }
    return await this.#slots.acquire(signal);
  }
}

const malformedRequestCodes = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/**
 * True for the path of a request whose response may begin or end at any time, such as a watch. It does no harm if a
 * short request matches.
 */
function mayBeLongRunning(path: string): boolean {
  return /[?&](?:watch|follow)=|\/(?:log|exec|attach|portforward|proxy)(?:[/?]|$)|\/watch\//.test(path);
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* reportingErrors(
  body: AsyncIterable<Uint8Array>,
  report: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    report(error);
    throw error;
  }
}
