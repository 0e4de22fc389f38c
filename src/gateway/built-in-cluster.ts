import type { HostLocation } from '../hosts/host.ts';
import type { PlaneSession, PlaneTarget } from './gateway-target.ts';

/** The operations of the built-in cluster that the gateway uses. */
export interface BuiltInCluster {
  /** The built-in cluster itself. */
  readonly local: PlaneTarget;
  readonly virtualPlanes: {
    /** Opens a session in a virtual cluster. Throws 404 or 503 if the virtual cluster cannot be used now. */
    enter(location: HostLocation): Promise<PlaneSession>;
    /** Returns the id of the virtual cluster's control plane; `undefined` if there is no usable virtual cluster. */
    planeIdAt(location: HostLocation): string | undefined;
  };
  /**
   * True if the token was issued for a service account of the plane with this id. The token is possibly expired or
   * revoked; `PlaneTarget.authenticate` checks that.
   */
  isTokenOf(planeId: string, token: string): Promise<boolean>;
}
