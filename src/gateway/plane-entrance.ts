import type { StatusError } from '../api/status.ts';
import type { Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import { type GuardedChainOptions, guardedChain } from '../http/chain.ts';
import { chain, type Exchange, type Filter, type Handler, isPieced, isStream } from '../http/exchange.ts';
import { isLongRunning } from '../http/long-running.ts';
import type { Plane } from '../http/plane.ts';
import { withSignal } from '../http/with-signal.ts';

/** A plane that is loaded for as long as somebody works in it. */
export interface Visit {
  readonly plane: Plane;
  /** Fires when what lasts must end: the virtual cluster goes to sleep or is removed. Its reason says which. */
  readonly signal: AbortSignal;
  leave(): void;
}

export interface PlaneEntranceOptions {
  /** What every chain begins with. */
  readonly chain: GuardedChainOptions;
  /** Segments of the path in front of the plane's own. */
  readonly depth: number;
  /**
   * Who comes with this credential, as the plane knows them; their `gate` says whether they get in. undefined: 401. Who
   * they are may depend on the plane itself: `enter` is as below, and happens once.
   */
  authenticate(token: string, exchange: Exchange, enter: () => Promise<Visit>): Promise<Identity | undefined>;
  /** Throws where nobody gets in now: 404, 501, 503. */
  enter(exchange: Exchange): Promise<Visit>;
  /** What is said to whom the gate refuses: nothing about the inside. */
  refusal(exchange: Exchange, decision: Decision): StatusError;
  /** Around what is answered from inside. Absent: nothing. */
  readonly within?: Filter;
  /** What answers for a plane; whatever it asks the plane, it asks the gate first (`gatedPlane`). */
  serve(plane: Plane): Handler;
  /** Told of the plane that a request is for, once it is known: for metrics. */
  onPlane(exchange: Exchange, plane: Plane): void;
}

/**
 * A path whose requests are for a plane that is loaded when it is used. The path is read as one of the plane, so that
 * deadlines, audit and metrics are those of what is asked for in there. Who does not get through learns nothing of what is
 * behind; what the others may do, and whom they may act as, the plane says.
 */
export function planeEntrance(options: PlaneEntranceOptions): Handler {
  const visits = new WeakMap<Exchange, Promise<Visit>>();

  const enter = (exchange: Exchange): Promise<Visit> => {
    const known = visits.get(exchange);
    if (known !== undefined) return known;
    const visiting = options.enter(exchange);
    visits.set(exchange, visiting);
    return visiting;
  };

  const chained = guardedChain(
    {
      ...options.chain,
      depth: options.depth,
      authenticate: (token, exchange) => options.authenticate(token, exchange, () => enter(exchange)),
      async authorize(identity, attributes, exchange) {
        const passed = await identity.gate?.(attributes);
        if (passed?.allowed === false) {
          exchange.decision = passed;
          throw options.refusal(exchange, passed);
        }
        const { plane } = await enter(exchange);
        options.onPlane(exchange, plane);
        const decision = await plane.authorize(identity, attributes);
        return passed?.scopes === undefined ? decision : { ...decision, scopes: passed.scopes };
      },
    },
    chain(options.within === undefined ? [] : [options.within], async (exchange) => {
      const { plane, signal } = await enter(exchange);
      const serve = () => options.serve(plane)(exchange);
      return await (isLongRunning(exchange) ? withSignal(exchange, signal, serve) : serve());
    }),
  );

  return async (exchange) => {
    let lasts = false;
    try {
      const reply = await chained(exchange);
      lasts = isStream(reply) || isPieced(reply);
      return reply;
    } finally {
      const leave = () => {
        void visits.get(exchange)?.then(
          (visit) => visit.leave(),
          () => {},
        );
      };
      // A socket tells the end of its stream too.
      if (lasts) exchange.end.follow(leave);
      else leave();
    }
  };
}
