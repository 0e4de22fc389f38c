import { textAt } from '@flotilla/json';
import { tokenCreatorClaim } from '../api/naming.ts';
import { serviceUnavailable } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Identity } from '../auth/identity.ts';
import { unverifiedClaims } from '../auth/unverified-claims.ts';
import type { ApiRequest, Host, HostLocation } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import { driverAccess } from './driver-access.ts';
import { remoteCluster } from './forward/remote-cluster.ts';
import type { TargetLimiters } from './forward/target-limiter.ts';
import type { GatewayCluster } from './instance-access.ts';
import type { TokenReviews } from './reviews/token-reviews.ts';

export interface HostedClusterOptions {
  readonly host: Host;
  /** The name of the connected cluster. */
  readonly cluster: string;
  /** The number of leading path segments that address the virtual cluster on this server. */
  readonly pathDepth: number;
  readonly tokenReviews: TokenReviews;
  readonly limiters: TargetLimiters;
  /** True if this installation issued the token, for any purpose. Such a token is never sent to another cluster. */
  isOwnToken(token: string): Promise<boolean>;
  readonly clock: Clock;
}

const never = new AbortController().signal;

/** Gives the gateway access to the virtual clusters on a connected cluster. */
export function hostedCluster(options: HostedClusterOptions): GatewayCluster {
  const { host, cluster, tokenReviews } = options;
  /**
   * The tokens of authenticated service accounts. Requests of these service accounts are forwarded with their tokens.
   */
  const tokens = new WeakMap<Identity, string>();
  const credentialFor = (caller: Identity): ApiRequest['as'] => {
    const token = tokens.get(caller);
    return token === undefined ? caller.user : { token };
  };
  const access = driverAccess({ ...options, driver: host });
  const targetOf = ({ namespace, name }: HostLocation) => `${cluster}/${namespace}/${name}`;

  function identityOf(user: UserInfo, token: string, uid: string): Identity {
    // Service accounts in different virtual clusters can have the same name, so fair queueing distinguishes them by the
    // uid of the virtual cluster.
    const responsible = textAt(unverifiedClaims(token), tokenCreatorClaim);
    const identity: Identity = {
      user,
      ...(responsible === '' ? {} : { responsible }),
      fairQueueKey: `${uid}/${user.name}`,
      system: false,
      signal: never,
    };
    tokens.set(identity, token);
    return identity;
  }

  return {
    ...access,
    async openSession(location, { name, abortSignal }) {
      const limiter = options.limiters.get(targetOf(location));
      const api = host.clusterApi(location);
      return {
        target: remoteCluster({
          api,
          name,
          pathDepth: options.pathDepth,
          credentialFor,
          limiter,
          abortSignal,
        }),
        signal: never,
        close() {},
      };
    },

    async authenticateServiceAccount(location, { token, uid, name }) {
      if (await options.isOwnToken(token)) return undefined;
      const target = `${targetOf(location)}/${uid}`;
      try {
        const state = await access.statusAt(location);
        if (state?.uid !== uid) return undefined;
        // Only the virtual cluster can review the token, and it cannot do so during its sleep. An unverified token must
        // not wake it.
        if (state.access === 'asleep') throw serviceUnavailable(`${name} is ${asleepMessage}`);
        if (state.access === 'closing') throw serviceUnavailable(`${name} is being removed`);
        const account = await tokenReviews.serviceAccountOf(target, host.clusterApi(location), token);
        if (account === undefined) return undefined;
        const { user, expiresAt } = account;
        return { identity: identityOf(user, token, uid), ...(expiresAt === undefined ? {} : { expiresAt }) };
      } catch (error) {
        // Only a caller whose token was valid before may learn why the virtual cluster cannot be used.
        if (tokenReviews.wasAuthenticated(target, token)) throw error;
        return undefined;
      }
    },
  };
}

const asleepMessage = 'asleep; a request with an access key wakes it';
