import { unauthorized } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { PlaneVisit } from '../gateway/inside.ts';
import type { ApiRequest, ApiResponse } from '../hosts/host.ts';
import {
  chain,
  type Exchange,
  goesOn,
  type Handler,
  isFeed,
  isPieced,
  isStream,
  type Reply,
  type StreamBody,
} from '../http/exchange.ts';
import { authorize } from '../http/filters/authorize.ts';
import { deadline } from '../http/filters/deadline.ts';
import { recover } from '../http/filters/recover.ts';
import { requestInfo } from '../http/filters/request-info.ts';
import { warnings } from '../http/filters/warnings.ts';
import type { Plane } from '../http/plane.ts';
import { followSignal } from '../http/request-end.ts';
import { newExchange } from '../http/router.ts';
import type { Clock } from '../lib/clock.ts';
import { feedIterator } from '../lib/feed.ts';
import type { Log } from '../lib/log.ts';
import type { VirtualClusterPlace, VirtualPlanes } from './virtual-planes.ts';

export interface VirtualApiOptions {
  readonly virtualPlanes: Pick<VirtualPlanes, 'enter'>;
  /** What answers for a plane. */
  serve(plane: Plane): Handler;
  /** The service account of that plane whom a good token stands for. */
  authenticate(plane: Plane, token: string): Promise<Identity | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

const never = new AbortController().signal;

/**
 * Requests to virtual clusters that come from inside the process, in the name of whomever they say. The plane is loaded
 * for as long as the answer lasts.
 */
export function virtualApi(options: VirtualApiOptions) {
  const { clock, log } = options;
  const visits = new WeakMap<Exchange, Promise<PlaneVisit>>();
  const tokens = new WeakMap<Exchange, string>();
  const visitOf = async (exchange: Exchange): Promise<PlaneVisit> => {
    const visit = visits.get(exchange);
    if (visit === undefined) throw new Error('a request to no virtual cluster');
    return await visit;
  };
  const handle = chain(
    [
      warnings(),
      recover({ log }),
      requestInfo({ depth: 0 }),
      deadline({ clock }),
      async (exchange, next) => {
        const token = tokens.get(exchange);
        if (token === undefined) return await next(exchange);
        const account = await options.authenticate((await visitOf(exchange)).plane, token);
        if (account === undefined) throw unauthorized();
        exchange.identity = account;
        return await next(exchange);
      },
      authorize({
        authorize: async (identity, asked, exchange) => (await visitOf(exchange)).plane.authorize(identity, asked),
      }),
    ],
    async (exchange) => {
      const { plane, signal } = await visitOf(exchange);
      exchange.end.follow(followSignal(signal, (reason) => exchange.end.end(reason)));
      return await options.serve(plane)(exchange);
    },
  );

  return async (place: VirtualClusterPlace, request: ApiRequest): Promise<ApiResponse> => {
    const exchange = newExchange(
      {
        method: request.method,
        url: request.path,
        headers: request.headers,
        body: request.body ?? nothing(),
        remoteAddress: '',
        httpVersion: '1.1',
        webSocket: false,
        signal: request.signal,
      },
      clock,
    );
    if ('token' in request.as) tokens.set(exchange, request.as.token);
    else exchange.identity = { user: request.as, system: false, signal: never } satisfies Identity;
    const visit = options.virtualPlanes.enter(place);
    visits.set(exchange, visit);
    exchange.end.follow(() => {
      void visit.then(
        (entered) => entered.leave(),
        () => {},
      );
    });
    const over = () => exchange.end.end(undefined);
    try {
      const reply = await handle(exchange);
      const body = bytesOf(reply, over);
      // What is whole needs the plane no more, whether somebody reads it or not.
      if (!goesOn(reply)) over();
      return { status: reply.status, headers: reply.headers, body };
    } catch (error) {
      over();
      throw error;
    }
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The body as it comes; it is over for whoever stops reading. */
async function* bytesOf(reply: Reply, over: () => void): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (isStream(reply)) yield* streamed(reply.body);
    else if (isPieced(reply)) yield* reply.body.pieces;
    else if (typeof reply.body === 'string') yield Buffer.from(reply.body);
    else if (reply.body instanceof Uint8Array) yield reply.body;
  } finally {
    over();
  }
}

async function* streamed(body: StreamBody): AsyncGenerator<Uint8Array, void, undefined> {
  if (isFeed(body)) {
    yield* { [Symbol.asyncIterator]: () => feedIterator(body) };
    return;
  }
  for await (const text of body) yield Buffer.from(text);
}
