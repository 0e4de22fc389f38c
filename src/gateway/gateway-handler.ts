import type { StatusError } from '../api/status.ts';
import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import { type AuthenticatedChainOptions, authenticatedChain } from '../http/chain.ts';
import { composeFilters, type Exchange, type Filter, type Handler } from '../http/exchange.ts';
import { attributesOf } from '../http/filters/authorize.ts';
import type { ServedResources } from '../http/plane.ts';
import { hasDeferredBody, type Reply } from '../http/reply.ts';
import { isLongRunning } from '../http/request/long-running.ts';
import { runWithAbortSignal } from '../http/request/with-signal.ts';
import { callerOf } from '../http/session/caller.ts';
import { andThen, isPromise, type MaybePromise } from '../lib/maybe-promise.ts';
import { authorizeInTarget, type GatewaySession } from './gateway-target.ts';
import { ImpersonationLimit } from './impersonation-limit.ts';
import { RequestSessions } from './request-sessions.ts';

export interface GatewayHandlerOptions {
  /** The filter chain options that all gateways share. */
  readonly chain: AuthenticatedChainOptions;
  /**
   * The number of leading path segments that address the target on this server. The rest of the path is a path of the
   * target's API.
   */
  readonly pathDepth: number;
  /**
   * Returns the caller's identity inside the target; if it returns `undefined`, the response is 401. The `preauthorize`
   * of the identity decides whether the caller may use the target at all. If authentication needs the target, this
   * function calls `openSession` to open the request's session.
   */
  authenticate(
    token: string,
    exchange: Exchange,
    openSession: () => Promise<GatewaySession>,
  ): MaybePromise<Identity | undefined>;
  /**
   * Opens a session in the target of this request. Throws 404, 501 or 503 if the target cannot be used now. Must return
   * synchronously if `isPermanent` is true.
   */
  openSession(exchange: Exchange): MaybePromise<GatewaySession>;
  /** True if the target exists independently of sessions. Its sessions need not be closed. */
  readonly isPermanent?: boolean;
  /**
   * Returns the error for a caller who may not use the target. The error must reveal nothing about the target.
   * Optional; if the function is absent or returns `undefined`, the error is the 403 of Kubernetes.
   */
  forbiddenError?(exchange: Exchange, decision: Decision): StatusError | undefined;
  /** A filter through which each authorized request passes before the target serves it. Optional. */
  readonly targetFilter?: Filter;
  /**
   * Called with the plane that serves the request, for metrics. `plane` is `undefined` if the target is a remote
   * cluster.
   */
  onPlane(exchange: Exchange, plane: ServedResources | undefined): void;
}

/**
 * Returns a handler that forwards requests to a target, which is opened on demand. The rest of the path is parsed as a
 * path of the target's API, so that timeouts, audit lines and metrics describe the actual request. A caller who may not
 * use the target learns nothing about it. For all other callers, the target authorizes requests and impersonation.
 */
export function gatewayHandler(options: GatewayHandlerOptions): Handler {
  const sessions = new RequestSessions((exchange) => options.openSession(exchange));
  const impersonation = new ImpersonationLimit();

  const enter = (exchange: Exchange): MaybePromise<GatewaySession> =>
    options.isPermanent === true ? options.openSession(exchange) : sessions.open(exchange);

  const decideInside = (
    exchange: Exchange,
    { target }: GatewaySession,
    identity: Identity,
    attributes: Attributes,
  ): MaybePromise<Decision> => {
    options.onPlane(exchange, target.plane);
    return authorizeInTarget(target, exchange, () => target.authorize(identity, attributes));
  };

  const decide = (
    exchange: Exchange,
    identity: Identity,
    attributes: Attributes,
    entryDecision: Decision | undefined,
  ): MaybePromise<Decision> => {
    if (entryDecision?.allowed === false) {
      const error = options.forbiddenError?.(exchange, entryDecision);
      if (error === undefined) return entryDecision;
      exchange.decision = entryDecision;
      throw error;
    }
    const opening = enter(exchange);
    const scopes = entryDecision?.scopes;
    // Opening a session may take long, for example if the target must wake up. Meanwhile another request may use this
    // request's in-flight slot.
    const opened = isPromise(opening) ? (exchange.inFlightSlot?.releaseWhile(opening) ?? opening) : opening;
    return andThen(opened, (session) => withScopes(decideInside(exchange, session, identity, attributes), scopes));
  };

  const authorizeRequest = (identity: Identity, attributes: Attributes, exchange: Exchange): MaybePromise<Decision> =>
    andThen(identity.preauthorize?.(attributes), (decision) => decide(exchange, identity, attributes, decision));
  const serve: Handler = (exchange) => andThen(enter(exchange), (session) => serveIn(session, exchange));
  const { freshness } = options.chain;

  const chained = authenticatedChain(
    {
      ...options.chain,
      depth: options.pathDepth,
      authenticate(token, exchange) {
        // If the request is authenticated again, close its session, because its target may have been replaced. The
        // request then gets a new session.
        if (freshness !== undefined) sessions.close(exchange);
        return options.authenticate(token, exchange, async () => await enter(exchange));
      },
      authorize(identity, attributes, exchange) {
        impersonation.check(exchange, attributes);
        return authorizeRequest(identity, attributes, exchange);
      },
    },
    composeFilters(
      options.targetFilter === undefined ? [] : [options.targetFilter],
      freshness === undefined ? serve : serveConfirmed(serve, authorizeRequest),
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
      // Close the session of a stream or an upgraded connection only after it has ended.
      if (staysOpen) exchange.end.onEnd(() => sessions.close(exchange));
      else sessions.close(exchange);
    }
  };
}

/**
 * Serves a request that its target, on another thread, authorizes and serves in one step. If the target denies the
 * request, the caller's roles were possibly outdated, so the request is authorized and served again.
 */
function serveConfirmed(
  serve: Handler,
  authorizeRequest: (identity: Identity, attributes: Attributes, exchange: Exchange) => MaybePromise<Decision>,
): Handler {
  return async (exchange) => {
    try {
      return await serve(exchange);
    } catch (error) {
      if (exchange.decision?.allowed !== false) throw error;
      if ((await exchange.confirmation?.mustDecideAgain(error)) !== true) throw error;
      const decision = await authorizeRequest(callerOf(exchange), attributesOf(exchange.info), exchange);
      if (!decision.allowed) throw error;
      exchange.decision = decision;
      return await serve(exchange);
    }
  };
}

function serveIn({ target, signal }: GatewaySession, exchange: Exchange): Promise<Reply> {
  if (!isLongRunning(exchange)) return target.serve(exchange);
  return runWithAbortSignal(exchange, signal, target.serve);
}

/** Adds the scopes from `Identity.preauthorize` to the target's decision. */
function withScopes(deciding: MaybePromise<Decision>, scopes: Decision['scopes'] | undefined): MaybePromise<Decision> {
  if (scopes === undefined) return deciding;
  return andThen(deciding, (decision) => ({ ...decision, scopes }));
}
