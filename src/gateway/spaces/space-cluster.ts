import type { ClusterApi, Host, HostLocation } from '../../hosts/host.ts';
import type { Clock } from '../../lib/clock.ts';
import { driverAccess } from '../driver-access.ts';
import { remoteCluster } from '../forward/remote-cluster.ts';
import type { TargetLimiters } from '../forward/target-limiter.ts';
import type { GatewayTarget } from '../gateway-target.ts';
import type { AccessStatus, GatewayCluster, SessionRequest } from '../instance-access.ts';
import { instancePathDepth } from '../instance-gateway.ts';
import { RecentResults } from './recent-results.ts';

export interface SpaceClusterOptions {
  readonly host: Pick<Host, 'spaces'>;
  /** The name of the connected cluster. */
  readonly cluster: string;
  /** Returns the API of the cluster, for one request to the space at this location. */
  targetOf(location: HostLocation, request: SessionRequest): GatewayTarget;
  readonly clock: Clock;
}

const never = new AbortController().signal;

/**
 * Gives the gateway access to the spaces on a cluster. The service accounts of a space are service accounts of the
 * cluster.
 */
export function spaceCluster({ host, targetOf, ...options }: SpaceClusterOptions): GatewayCluster {
  return {
    ...driverAccess({ ...options, driver: host.spaces }),
    openSession: async (location, request) => ({ target: targetOf(location, request), signal: never, close() {} }),
    authenticateServiceAccount: async () => undefined,
  };
}

export interface RemoteSpacesOptions extends Omit<SpaceClusterOptions, 'targetOf'> {
  readonly api: ClusterApi;
  readonly limiters: TargetLimiters;
}

/**
 * The time for which the state of a space is cached, because reading it requires a request to the cluster. Changes that
 * the controller has observed apply immediately, because they are in the status of the instance.
 */
const statusCacheMs = 2_000;

/** Gives the gateway access to the spaces on a connected cluster. Requests are sent with the identity of the caller. */
export function remoteSpaces({ api, limiters, ...options }: RemoteSpacesOptions): GatewayCluster {
  const spaces = spaceCluster({
    ...options,
    targetOf: ({ namespace }, { name, abortSignal }) =>
      remoteCluster({
        api,
        name,
        pathDepth: instancePathDepth,
        credentialFor: ({ user }) => user,
        limiter: limiters.get(`${options.cluster}/${namespace}`),
        abortSignal,
      }),
  });
  const recent = new RecentResults<AccessStatus | undefined>(statusCacheMs, options.clock);
  return {
    ...spaces,
    statusAt: (location) => recent.get(location.namespace, async () => await spaces.statusAt(location)),
    async wake(location, signal) {
      await spaces.wake(location, signal);
      recent.forget(location.namespace);
    },
  };
}
