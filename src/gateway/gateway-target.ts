import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Handler } from '../http/exchange.ts';
import type { Plane } from '../http/plane.ts';

/** The API that a gateway handler forwards to: a plane of this process, or a remote cluster. */
export interface GatewayTarget {
  /** Decides whether the caller may make the request. A remote cluster decides only when it receives the request. */
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /** Called once both the gate and `authorize` have allowed the request. */
  readonly serve: Handler;
  /** `undefined` for a remote cluster. */
  readonly plane?: Plane;
}

/** A target that stays available until the session is closed. */
export interface GatewaySession {
  readonly target: GatewayTarget;
  /**
   * Fires when long-running requests must end because the virtual cluster goes to sleep or is removed; its reason says
   * which. Implementations may create it on first access.
   */
  readonly signal: AbortSignal;
  close(): void;
}

/** A plane that stays loaded until the session is closed. */
export interface PlaneSession {
  readonly plane: Plane;
  /** Fires under the same conditions as the signal of a `GatewaySession`. */
  readonly signal: AbortSignal;
  close(): void;
}

/** `serve` must check the gate before it authorizes anything in the plane (`gatedPlane`). */
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
