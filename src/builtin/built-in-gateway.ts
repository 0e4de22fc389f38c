import { createPlaneSession } from '../gateway/gateway-target.ts';
import type { GatewayCluster } from '../gateway/instance-access.ts';
import type { Planes } from './open-planes.ts';

/** The gateway to the virtual clusters of the built-in cluster, which are planes of this process. */
export function builtInGateway({ builtIn, host, fleet }: Planes): GatewayCluster {
  const { virtualPlanes } = builtIn;
  return {
    statusAt: (place) => virtualPlanes.statusAt(place),
    openSession: async (place) => createPlaneSession(await virtualPlanes.enter(place), (plane) => builtIn.serve(plane)),
    wake: (place, signal) => host.wake(place, { signal }),
    whenUsable: (place, signal) => virtualPlanes.whenUsable(place, signal),

    async authenticateServiceAccount(place, { token, uid, openSession }) {
      const standing = virtualPlanes.statusAt(place);
      if (standing?.uid !== uid) return undefined;
      const { planeId, access } = standing;
      // A token of another plane must not cause this one to be loaded, and an expired token must not wake it.
      if (!(await builtIn.isTokenOf(planeId, token))) return undefined;
      if (access !== 'open') {
        const account = await fleet.withPlane(planeId, (plane) => builtIn.authenticate(plane, token));
        if (account === undefined) return undefined;
      }
      const { plane } = (await openSession()).target;
      const identity = plane && (await builtIn.authenticate(plane, token));
      return identity && { identity };
    },
  };
}
