import { insidePlane } from '../gateway/inside.ts';
import type { GatewayCluster } from '../gateway/instance-doors.ts';
import type { Planes } from './open-planes.ts';

/** The gateway to the virtual clusters of the built-in cluster, which are planes of this process. */
export function builtInGateway({ builtIn, host, fleet }: Planes): GatewayCluster {
  const { virtualPlanes } = builtIn;
  return {
    at: (place) => virtualPlanes.at(place),
    enter: async (place) => insidePlane(await virtualPlanes.enter(place), (plane) => builtIn.serve(plane)),
    wake: (place, signal) => host.wake(place, { signal }),
    opened: (place, signal) => virtualPlanes.opened(place, signal),

    async account(place, { token, uid, enter }) {
      const standing = virtualPlanes.at(place);
      if (standing?.uid !== uid) return undefined;
      const { planeId, door } = standing;
      // A token of another plane must not cause this one to be loaded, and an expired token must not wake it.
      if (!(await builtIn.isTokenOf(planeId, token))) return undefined;
      if (door !== 'open') {
        const account = await fleet.use(planeId, (plane) => builtIn.authenticate(plane, token));
        if (account === undefined) return undefined;
      }
      const { plane } = (await enter()).inside;
      const identity = plane && (await builtIn.authenticate(plane, token));
      return identity && { identity };
    },
  };
}
