import type { GatewayCluster } from '../gateway/instance-access.ts';
import type { BuiltInClusterPlanes } from './open-planes.ts';

/**
 * The gateway's access to the virtual clusters on the built-in cluster. Each virtual cluster is a plane of this server.
 */
export function builtInGateway({ builtIn, host, planes }: BuiltInClusterPlanes): GatewayCluster {
  const { virtualPlanes } = builtIn;
  return {
    statusAt: (location) => virtualPlanes.statusAt(location),
    openSession: (location) => virtualPlanes.enter(location),
    wake: (location, signal) => host.wake(location, { signal }),
    whenUsable: (location, signal) => virtualPlanes.whenUsable(location, signal),

    async authenticateServiceAccount(location, { token, uid, openSession }) {
      const status = virtualPlanes.statusAt(location);
      if (status?.uid !== uid) return undefined;
      const { planeId, access } = status;
      // Check the token before the plane is loaded: a token of another plane must not load this plane, and an expired
      // token must not wake the virtual cluster.
      if (!(await builtIn.isTokenOf(planeId, token))) return undefined;
      if (access !== 'open') {
        const opened = await planes.open(planeId);
        const account = await opened?.target.authenticate(token).finally(opened.release);
        if (account === undefined) return undefined;
      }
      const identity = await (await openSession()).target.authenticate?.(token);
      return identity && { identity };
    },
  };
}
