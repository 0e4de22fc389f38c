import { unauthorized } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { PlaneSession } from '../gateway/gateway-target.ts';
import type { ApiRequest, ApiResponse } from '../hosts/host.ts';
import { composeFilters, type Exchange } from '../http/exchange.ts';
import { authorize } from '../http/filters/authorize.ts';
import { deadlineFilter } from '../http/filters/deadline.ts';
import { errorReplyFilter } from '../http/filters/recover.ts';
import { requestInfo } from '../http/filters/request-info.ts';
import { warningsFilter } from '../http/filters/warnings.ts';
import { hasDeferredBody, hasGeneratedBody, isFeed, isStream, type Reply, type StreamBody } from '../http/reply.ts';
import { onAbort } from '../http/request/request-end.ts';
import { newExchange } from '../http/router.ts';
import type { Clock } from '../lib/clock.ts';
import { feedIterator } from '../lib/feed.ts';
import type { Log } from '../lib/log.ts';
import type { RevisionCheck } from '../store/store.ts';
import type { VirtualClusterLocation, VirtualPlanes } from './virtual-planes.ts';

export interface VirtualApiOptions {
  readonly virtualPlanes: Pick<VirtualPlanes, 'enter'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The check for all transactions of the requests (`RequestContext.fence`). Optional; defaults to none. */
  readonly fence?: RevisionCheck | undefined;
}

const never = new AbortController().signal;

/**
 * Returns a function that sends one in-process request to a virtual cluster, with the identity that the request
 * contains. The plane of the virtual cluster stays loaded until the response is complete.
 */
export function createVirtualApiSender(options: VirtualApiOptions) {
  const { clock, log } = options;
  const sessions = new WeakMap<Exchange, Promise<PlaneSession>>();
  const tokens = new WeakMap<Exchange, string>();
  const sessionOf = async (exchange: Exchange): Promise<PlaneSession> => {
    const session = sessions.get(exchange);
    if (session === undefined) throw new Error('the request was not assigned to a virtual cluster');
    return await session;
  };
  const handle = composeFilters(
    [
      warningsFilter(),
      errorReplyFilter({ log }),
      requestInfo({ depth: 0 }),
      deadlineFilter({ clock }),
      async (exchange, next) => {
        const token = tokens.get(exchange);
        if (token === undefined) return await next(exchange);
        const account = await (await sessionOf(exchange)).target.authenticate(token);
        if (account === undefined) throw unauthorized();
        exchange.identity = account;
        return await next(exchange);
      },
      authorize({
        authorize: async (identity, attributes, exchange) =>
          await (await sessionOf(exchange)).target.authorize(identity, attributes),
      }),
    ],
    async (exchange) => {
      const { target, signal } = await sessionOf(exchange);
      exchange.end.onEnd(onAbort(signal, (reason) => exchange.end.end(reason)));
      return await target.serve(exchange);
    },
  );

  return async (location: VirtualClusterLocation, request: ApiRequest): Promise<ApiResponse> => {
    const exchange = newExchange(
      {
        method: request.method,
        url: request.path,
        headers: request.headers,
        body: request.body ?? emptyBody(),
        remoteAddress: '',
        httpVersion: '1.1',
        webSocket: false,
        signal: request.signal,
      },
      clock,
    );
    exchange.fence = options.fence;
    if ('token' in request.as) tokens.set(exchange, request.as.token);
    else exchange.identity = { user: request.as, system: false, signal: never } satisfies Identity;
    const session = options.virtualPlanes.enter(location);
    sessions.set(exchange, session);
    exchange.end.onEnd(() => {
      void session.then(
        (opened) => opened.close(),
        () => {},
      );
    });
    const finish = () => exchange.end.end(undefined);
    try {
      const reply = await handle(exchange);
      const body = bytesOf(reply, finish);
      // If the body of the reply is complete, the plane is no longer needed, even if the caller never reads the body.
      if (!hasDeferredBody(reply)) finish();
      return { status: reply.status, headers: reply.headers, body };
    } catch (error) {
      finish();
      throw error;
    }
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** Streams the body of a reply, and calls `finish` when the reader has read all of it or stops reading. */
async function* bytesOf(reply: Reply, finish: () => void): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (isStream(reply)) yield* streamed(reply.body);
    else if (hasGeneratedBody(reply)) yield* reply.body.chunks;
    else if (typeof reply.body === 'string') yield Buffer.from(reply.body);
    else if (reply.body instanceof Uint8Array) yield reply.body;
  } finally {
    finish();
  }
}

async function* streamed(body: StreamBody): AsyncGenerator<Uint8Array, void, undefined> {
  if (isFeed(body)) {
    yield* { [Symbol.asyncIterator]: () => feedIterator(body) };
    return;
  }
  for await (const text of body) yield Buffer.from(text);
}
