import type { Identity } from '../auth/identity.ts';
import type { HostLocation } from '../hosts/host.ts';
import type { Handler } from '../http/exchange.ts';
import type { Plane } from '../http/plane.ts';
import type { PlaneSession } from './gateway-target.ts';

/** The operations of the built-in cluster that the gateway uses. */
export interface BuiltInCluster {
  readonly plane: Plane;
  readonly virtualPlanes: {
    /** Opens a session in a virtual cluster. Throws 404 or 503 if the virtual cluster cannot be used now. */
    enter(location: HostLocation): Promise<PlaneSession>;
    /** Returns the id of the virtual cluster's control plane; `undefined` if there is no usable virtual cluster. */
    planeIdAt(location: HostLocation): string | undefined;
  };
  /**
   * Returns the handler for requests to a plane, which is the built-in cluster or a virtual cluster on it. The handler
   * checks `Identity.preauthorize` before the plane authorizes the request.
   */
  serve(plane: Plane): Handler;
  /**
   * True if the token was issued for a service account of the plane with this id. The token may have expired or been
   * revoked since then; `authenticate` checks that.
   */
  isTokenOf(planeId: string, token: string): Promise<boolean>;
  /** Returns the service account of the plane to which the token belongs. A session in the plane must be open. */
  authenticate(plane: Plane, token: string): Promise<Identity | undefined>;
}
