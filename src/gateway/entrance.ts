import type { StatusError } from '../api/status.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import { type GuardedChainOptions, guardedChain } from '../http/chain.ts';
import { chain, type Exchange, type Filter, goesOn, type Handler, type Reply } from '../http/exchange.ts';
import { isLongRunning } from '../http/long-running.ts';
import type { Plane } from '../http/plane.ts';
import { withSignal } from '../http/with-signal.ts';
import type { Visit } from './inside.ts';

export interface EntranceOptions {
  /** What every chain begins with. */
  readonly chain: GuardedChainOptions;
  /** Segments of the path in front of those of the API behind. */
  readonly depth: number;
  /**
   * Who comes with this credential, as they are known inside; their `gate` says whether they get in. undefined: 401. Who
   * they are may depend on the inside itself: `enter` is as below, and happens once.
   */
  authenticate(
    token: string,
    exchange: Exchange,
    enter: () => Promise<Visit>,
  ): Identity | undefined | Promise<Identity | undefined>;
  /** Throws where nobody gets in now: 404, 501, 503. What is always there is given at once. */
  enter(exchange: Exchange): Visit | Promise<Visit>;
  /** What is behind is there whether somebody works in it or not: whoever enters twice is in it once, and nobody leaves. */
  readonly alwaysThere?: boolean;
  /** What is said to whom the gate refuses: nothing about the inside. Absent: what Kubernetes says. */
  refusal?(exchange: Exchange, decision: Decision): StatusError;
  /** Around what is answered from inside. Absent: nothing. */
  readonly within?: Filter;
  /** Told of the plane that a request is for, once it is known: for metrics. undefined: it is none of this process. */
  onPlane(exchange: Exchange, plane: Plane | undefined): void;
}

/**
 * A path whose requests are for an API that is there when it is used. The path is read as one of that API, so that
 * deadlines, audit and metrics are those of what is asked for in there. Who does not get through learns nothing of what is
 * behind; what the others may do, and whom they may act as, is said inside.
 */
export function entrance(options: EntranceOptions): Handler {
  const visits = new WeakMap<Exchange, Visit | Promise<Visit>>();

  const enter = (exchange: Exchange): Visit | Promise<Visit> => {
    if (options.alwaysThere === true) return options.enter(exchange);
    const known = visits.get(exchange);
    if (known !== undefined) return known;
    // Nobody would leave any more.
    if (exchange.end.isOver) throw exchange.end.reason ?? new Error('the request is over');
    const visiting = options.enter(exchange);
    visits.set(exchange, visiting);
    return visiting;
  };

  const decideInside = (
    exchange: Exchange,
    { inside }: Visit,
    identity: Identity,
    attributes: Attributes,
    passed: Decision | undefined,
  ): Decision | Promise<Decision> => {
    options.onPlane(exchange, inside.plane);
    const deciding = inside.authorize(identity, attributes);
    const scopes = passed?.scopes;
    if (scopes === undefined) return deciding;
    return deciding instanceof Promise
      ? deciding.then((decision) => ({ ...decision, scopes }))
      : { ...deciding, scopes };
  };

  const decide = (
    exchange: Exchange,
    identity: Identity,
    attributes: Attributes,
    passed: Decision | undefined,
  ): Decision | Promise<Decision> => {
    if (passed?.allowed === false) {
      if (options.refusal === undefined) return passed;
      exchange.decision = passed;
      throw options.refusal(exchange, passed);
    }
    const entering = enter(exchange);
    if (!(entering instanceof Promise)) return decideInside(exchange, entering, identity, attributes, passed);
    // It may have to be woken, or asked for where nobody answers: nobody else waits for that.
    const entered = exchange.place?.lend(entering) ?? entering;
    return entered.then((visit) => decideInside(exchange, visit, identity, attributes, passed));
  };

  const chained = guardedChain(
    {
      ...options.chain,
      depth: options.depth,
      authenticate: (token, exchange) => options.authenticate(token, exchange, async () => await enter(exchange)),
      authorize(identity, attributes, exchange) {
        const passing = identity.gate?.(attributes);
        return passing instanceof Promise
          ? passing.then((passed) => decide(exchange, identity, attributes, passed))
          : decide(exchange, identity, attributes, passing);
      },
    },
    chain(options.within === undefined ? [] : [options.within], (exchange) => {
      const entering = enter(exchange);
      return entering instanceof Promise
        ? entering.then((visit) => serveIn(visit, exchange))
        : serveIn(entering, exchange);
    }),
  );
  if (options.alwaysThere === true) return chained;

  return async (exchange) => {
    let lasts = false;
    try {
      const reply = await chained(exchange);
      lasts = goesOn(reply);
      return reply;
    } finally {
      const leave = () => {
        const visit = visits.get(exchange);
        if (visit instanceof Promise) {
          void visit.then(
            (entered) => entered.leave(),
            () => {},
          );
        } else visit?.leave();
      };
      // A socket tells the end of its stream too.
      if (lasts) exchange.end.follow(leave);
      else leave();
    }
  };
}

function serveIn({ inside, signal }: Visit, exchange: Exchange): Promise<Reply> {
  if (!isLongRunning(exchange)) return inside.serve(exchange);
  return withSignal(exchange, signal, inside.serve);
}
