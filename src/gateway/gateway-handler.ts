import type { StatusError } from '../api/status.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import { type AuthenticatedChainOptions, authenticatedChain } from '../http/chain.ts';
import { chain, type Exchange, type Filter, type Handler } from '../http/exchange.ts';
import type { Plane } from '../http/plane.ts';
import { hasDeferredBody, type Reply } from '../http/reply.ts';
import { isLongRunning } from '../http/request/long-running.ts';
import { withSignal } from '../http/request/with-signal.ts';
import { andThen, isPromise, type MaybePromise } from '../lib/maybe-promise.ts';
import type { GatewaySession } from './gateway-target.ts';

export interface GatewayHandlerOptions {
  /** The options that every chain shares. */
  readonly chain: AuthenticatedChainOptions;
  /** The number of path segments that precede the path of the target's API. */
  readonly pathDepth: number;
  /**
   * Returns the caller's identity inside the target; its `gate` decides whether the caller gets in. `undefined`: 401.
   * The identity may depend on the target itself, so `openSession` opens the session, once per request.
   */
  authenticate(
    token: string,
    exchange: Exchange,
    openSession: () => Promise<GatewaySession>,
  ): MaybePromise<Identity | undefined>;
  /** Throws 404, 501 or 503 if the target cannot be used now. Returns a permanent target synchronously. */
  openSession(exchange: Exchange): MaybePromise<GatewaySession>;
  /** The target exists whether or not it is in use, so sessions are neither shared nor closed. */
  readonly isPermanent?: boolean;
  /**
   * The error for a caller whom the gate denies; it must reveal nothing about the target. Optional; defaults to
   * Kubernetes' error.
   */
  forbiddenError?(exchange: Exchange, decision: Decision): StatusError;
  /** A filter around the responses of the target. Optional. */
  readonly targetFilter?: Filter;
  /** Reports the plane that a request is for, for metrics. `undefined` if it is not a plane of this process. */
  onPlane(exchange: Exchange, plane: Plane | undefined): void;
}

/**
 * A handler for a path whose requests go to a target that is opened on demand. The path is parsed as a path of the
 * target's API, so that timeouts, audit and metrics match the request inside it. A caller who does not pass the gate
 * learns nothing about the target; the target itself decides what the others may do and whom they may impersonate.
 */
export function gatewayHandler(options: GatewayHandlerOptions): Handler {
  const sessions = new WeakMap<Exchange, MaybePromise<GatewaySession>>();

  const enter = (exchange: Exchange): MaybePromise<GatewaySession> => {
    if (options.isPermanent === true) return options.openSession(exchange);
    const existing = sessions.get(exchange);
    if (existing !== undefined) return existing;
    // Nothing would close the session any more.
    if (exchange.end.hasEnded) throw exchange.end.reason ?? new Error('the request has ended');
    const opening = options.openSession(exchange);
    sessions.set(exchange, opening);
    return opening;
  };

  const decideInside = (
    exchange: Exchange,
    { target }: GatewaySession,
    identity: Identity,
    attributes: Attributes,
  ): MaybePromise<Decision> => {
    options.onPlane(exchange, target.plane);
    return target.authorize(identity, attributes);
  };

  const decide = (
    exchange: Exchange,
    identity: Identity,
    attributes: Attributes,
    gateDecision: Decision | undefined,
  ): MaybePromise<Decision> => {
    if (gateDecision?.allowed === false) {
      if (options.forbiddenError === undefined) return gateDecision;
      exchange.decision = gateDecision;
      throw options.forbiddenError(exchange, gateDecision);
    }
    const opening = enter(exchange);
    const scopes = gateDecision?.scopes;
    // The target may have to wake up, or its cluster may hang: the slot of this request is lent to others meanwhile.
    const opened = isPromise(opening) ? (exchange.inFlightSlot?.releaseWhile(opening) ?? opening) : opening;
    return andThen(opened, (session) => withScopes(decideInside(exchange, session, identity, attributes), scopes));
  };

  const chained = authenticatedChain(
    {
      ...options.chain,
      depth: options.pathDepth,
      authenticate: (token, exchange) => options.authenticate(token, exchange, async () => await enter(exchange)),
      authorize(identity, attributes, exchange) {
        return andThen(identity.preauthorize?.(attributes), (decision) =>
          decide(exchange, identity, attributes, decision),
        );
      },
    },
    chain(options.targetFilter === undefined ? [] : [options.targetFilter], (exchange) =>
      andThen(enter(exchange), (session) => serveIn(session, exchange)),
    ),
  );
  if (options.isPermanent === true) return chained;

  return async (exchange) => {
    let staysOpen = false;
    try {
      const reply = await chained(exchange);
      staysOpen = hasDeferredBody(reply);
      return reply;
    } finally {
      const closeSession = () => {
        const session = sessions.get(exchange);
        if (session !== undefined && isPromise(session)) {
          void session.then(
            (opened) => opened.close(),
            () => {},
          );
        } else session?.close();
      };
      // For a stream or a socket, `end` also reports when it is over.
      if (staysOpen) exchange.end.onEnd(closeSession);
      else closeSession();
    }
  };
}

function serveIn({ target, signal }: GatewaySession, exchange: Exchange): Promise<Reply> {
  if (!isLongRunning(exchange)) return target.serve(exchange);
  return withSignal(exchange, signal, target.serve);
}

/** Adds the scopes of the gate's decision to the decision of the target. */
function withScopes(deciding: MaybePromise<Decision>, scopes: Decision['scopes'] | undefined): MaybePromise<Decision> {
  if (scopes === undefined) return deciding;
  return andThen(deciding, (decision) => ({ ...decision, scopes }));
}
