import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Handler } from '../http/exchange.ts';
import type { Plane } from '../http/plane.ts';

/** The API that a gateway handler forwards to: a plane of this process, or a remote cluster. */
export interface Inside {
  /** Decides whether the caller may make the request. A remote cluster decides only when it receives the request. */
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /** Called once both the gate and `authorize` have allowed the request. */
  readonly serve: Handler;
  /** `undefined` for a remote cluster. */
  readonly plane?: Plane;
}

/** A target that stays available until the session is closed. */
export interface Visit {
  readonly inside: Inside;
  /**
   * Fires when long-running requests must end because the virtual cluster goes to sleep or is removed; its reason says
   * which. Implementations may create it on first access.
   */
  readonly signal: AbortSignal;
  leave(): void;
}

/** A plane that stays loaded until the session is closed. */
export interface PlaneVisit {
  readonly plane: Plane;
  /** Fires as that of `GatewaySession`. */
  readonly signal: AbortSignal;
  leave(): void;
}

/** `serve` must check the gate before it authorizes anything in the plane (`gatedPlane`). */
export function insidePlane(session: PlaneVisit, serve: (plane: Plane) => Handler): Visit {
  const { plane, signal } = session;
  return {
    inside: {
      plane,
      authorize: (identity, attributes) => plane.authorize(identity, attributes),
      serve: (exchange) => serve(plane)(exchange),
    },
    signal,
    leave: () => session.leave(),
  };
}
