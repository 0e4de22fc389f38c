import type { Identity } from '../auth/identity.ts';
import type { HostLocation } from '../hosts/host.ts';
import type { Handler } from '../http/exchange.ts';
import type { Plane } from '../http/plane.ts';
import type { PlaneSession } from './gateway-target.ts';

/** The parts of the built-in cluster that its gateway needs. */
export interface BuiltInCluster {
  readonly plane: Plane;
  readonly virtualPlanes: {
    /** Throws 404 or 503 if the virtual cluster cannot be used now. */
    enter(place: HostLocation): Promise<PlaneSession>;
    /** The id of the plane of the virtual cluster at this location. `undefined` if there is none that can be used. */
    planeIdAt(place: HostLocation): string | undefined;
  };
  /** The handler of a plane (the built-in cluster's or a virtual cluster's) for requests that its gate lets through. */
  serve(plane: Plane): Handler;
  /**
   * True if the token was issued for a service account of that plane. Only the plane knows whether it is still valid.
   */
  isTokenOf(planeId: string, token: string): Promise<boolean>;
  /** The service account that a valid token of that plane stands for. The plane must be in use. */
  authenticate(plane: Plane, token: string): Promise<Identity | undefined>;
}
