import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Handler } from '../http/exchange.ts';
import type { Plane } from '../http/plane.ts';

/** The API to which a gateway forwards a request: a control plane of this process, or a remote cluster. */
export interface GatewayTarget {
  /**
   * Decides whether the caller may make the request. For a remote cluster it checks only impersonation, because that
   * cluster authorizes the request itself.
   */
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /** Serves a request. Called only after `Identity.preauthorize` and `authorize` have allowed the request. */
  readonly serve: Handler;
  /** The control plane in this process; absent for a remote cluster. */
  readonly plane?: Plane;
}

/** A target that a request uses. The target stays available until the session is closed. */
export interface GatewaySession {
  readonly target: GatewayTarget;
  /**
   * Fires when long-running requests must end because the virtual cluster falls asleep or is removed. The abort reason
   * says which of the two. Implementations may create the signal on first access.
   */
  readonly signal: AbortSignal;
  close(): void;
}

/** A control plane of this process that a request uses. The plane stays loaded until the session is closed. */
export interface PlaneSession {
  readonly plane: Plane;
  /** Fires when long-running requests must end because the virtual cluster falls asleep or is removed. */
  readonly signal: AbortSignal;
  close(): void;
}

/**
 * Creates a gateway session for a plane of this process. The handler that `serve` returns must check
 * `Identity.preauthorize` before the plane authorizes a request.
 */
export function createPlaneSession(session: PlaneSession, serve: (plane: Plane) => Handler): GatewaySession {
  const { plane, signal } = session;
  return {
    target: {
      plane,
      authorize: (identity, attributes) => plane.authorize(identity, attributes),
      serve: (exchange) => serve(plane)(exchange),
    },
    signal,
    close: () => session.close(),
  };
}
