import { createPlaneSession } from '../gateway/gateway-target.ts';
import type { GatewayCluster } from '../gateway/instance-access.ts';
import type { BuiltInClusterPlanes } from './open-planes.ts';

/** The gateway's access to the virtual clusters on the built-in cluster. Each of them is a plane in this process. */
export function builtInGateway({ builtIn, host, fleet }: BuiltInClusterPlanes): GatewayCluster {
  const { virtualPlanes } = builtIn;
  return {
    statusAt: (location) => virtualPlanes.statusAt(location),
    openSession: async (location) =>
      createPlaneSession(await virtualPlanes.enter(location), (plane) => builtIn.serve(plane)),
    wake: (location, signal) => host.wake(location, { signal }),
    whenUsable: (location, signal) => virtualPlanes.whenUsable(location, signal),

    async authenticateServiceAccount(location, { token, uid, openSession }) {
      const status = virtualPlanes.statusAt(location);
      if (status?.uid !== uid) return undefined;
      const { planeId, access } = status;
      // A token of another plane must not load this plane, and an expired token must not wake the virtual cluster.
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
