import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Handler } from '../http/exchange.ts';
import type { Plane } from '../http/plane.ts';

/** The API behind an entrance: a plane of this process, or a cluster that requests are passed on to. */
export interface Inside {
  /** Whether they may do that in there. A cluster that is elsewhere says so when it is asked to do it. */
  authorize(identity: Identity, attributes: Attributes): Decision | Promise<Decision>;
  /** To be called once both the gate and `authorize` have let the caller through. */
  readonly serve: Handler;
  /** Absent: it is elsewhere. */
  readonly plane?: Plane;
}

/** An API that is there for as long as somebody works in it. */
export interface Visit {
  readonly inside: Inside;
  /**
   * Fires when what lasts must end: the virtual cluster goes to sleep or is removed. Its reason says which. May be made
   * when it is asked for.
   */
  readonly signal: AbortSignal;
  leave(): void;
}

/** A plane that is loaded for as long as somebody works in it. */
export interface PlaneVisit extends Omit<Visit, 'inside'> {
  readonly plane: Plane;
}

/** `serve`: whatever it asks the plane, it asks the gate first (`gatedPlane`). */
export function insidePlane({ plane, signal, leave }: PlaneVisit, serve: (plane: Plane) => Handler): Visit {
  return {
    inside: {
      plane,
      authorize: (identity, attributes) => plane.authorize(identity, attributes),
      serve: (exchange) => serve(plane)(exchange),
    },
    signal,
    leave,
  };
}
