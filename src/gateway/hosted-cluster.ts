import { serviceUnavailable } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Identity } from '../auth/identity.ts';
import type { ApiRequest, Host, HostedVirtualCluster, HostLocation } from '../hosts/host.ts';
import { onAbort } from '../http/request/request-end.ts';
import type { Clock } from '../lib/clock.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { remoteCluster } from './forward/remote-cluster.ts';
import type { TargetLimiters } from './forward/target-limiter.ts';
import type { AccessStatus, GatewayCluster } from './instance-access.ts';
import type { TokenReviews } from './token-reviews.ts';

export interface HostedClusterOptions {
  readonly host: Host;
  /** The name of the connected cluster. */
  readonly cluster: string;
  /** The number of path segments in front of the virtual cluster's own path. */
  readonly pathDepth: number;
  readonly tokenReviews: TokenReviews;
  readonly limiters: TargetLimiters;
  /** True if this server issued the token, for whatever purpose. Such a token is never sent to another cluster. */
  isOwnToken(token: string): Promise<boolean>;
  readonly clock: Clock;
}

const never = new AbortController().signal;

/** The virtual clusters of a connected cluster, to which requests are forwarded. */
export function hostedCluster(options: HostedClusterOptions): GatewayCluster {
  const { host, cluster, tokenReviews } = options;
  /** The tokens with which service accounts of virtual clusters authenticated. */
  const tokens = new WeakMap<Identity, string>();
  const asWhom = (caller: Identity): ApiRequest['as'] => {
    const token = tokens.get(caller);
    return token === undefined ? caller.user : { token };
  };
  const targetOf = ({ namespace, name }: HostLocation) => `${cluster}/${namespace}/${name}`;

  /** The host answers from its cache; if that is not synced yet, the wait is short. */
  async function at(place: HostLocation): Promise<AccessStatus | undefined> {
    const late = () => serviceUnavailable(`the cluster ${JSON.stringify(cluster)} did not respond in time`, 1);
    const found = await withTimeout(
      { clock: options.clock, milliseconds: observeTimeoutMs, timeoutError: late },
      (signal) => host.observe(place, { signal }),
    );
    return found && { uid: found.uid, owner: found.owner, access: accessOf(found) };
  }

  function identityOf(user: UserInfo, token: string, uid: string): Identity {
    // Every virtual cluster has accounts of the same names, so each cluster's accounts are counted separately.
    const identity: Identity = { user, fairQueueKey: `${uid}/${user.name}`, system: false, signal: never };
    tokens.set(identity, token);
    return identity;
  }

  return {
    statusAt: at,
    async openSession(place, { name, abortSignal }) {
      const room = options.limiters.get(targetOf(place));
      const api = host.clusterApi(place);
      return {
        target: remoteCluster({
          api,
          name,
          pathDepth: options.pathDepth,
          credentialFor: asWhom,
          limiter: room,
          abortSignal,
        }),
        signal: never,
        close() {},
      };
    },
    wake: (place, signal) => host.wake(place, { signal }),
    whenUsable: (place, signal) => isReady(host, place, signal),

    async authenticateServiceAccount(place, { token, uid, name }) {
      if (await options.isOwnToken(token)) return undefined;
      const target = `${targetOf(place)}/${uid}`;
      try {
        const state = await at(place);
        if (state?.uid !== uid) return undefined;
        // Only the virtual cluster can review a token, and an unverified token must not wake it.
        if (state.access === 'asleep') throw serviceUnavailable(`${name} is ${asleepMessage}`);
        if (state.access === 'closing') throw serviceUnavailable(`${name} is being removed`);
        const account = await tokenReviews.serviceAccountOf(target, host.clusterApi(place), token);
        if (account === undefined) return undefined;
        const { user, expiresAt } = account;
        return { identity: identityOf(user, token, uid), ...(expiresAt === undefined ? {} : { expiresAt }) };
      } catch (error) {
        // A caller whose token was never valid learns nothing.
        if (tokenReviews.wasAuthenticated(target, token)) throw error;
        return undefined;
      }
    },
  };
}

const asleepMessage = 'asleep and keeps its data; a request with an access key wakes it';
const observeTimeoutMs = 5_000;

function accessOf({ phase }: HostedVirtualCluster): AccessStatus['access'] {
  if (phase === 'Sleeping') return 'asleep';
  return phase === 'Removing' ? 'closing' : phase === 'Pending' ? 'opening' : 'open';
}

/** Resolves when the virtual cluster is usable, checking again after each change there. */
async function isReady(host: Host, place: HostLocation, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const unfollow = onAbort(signal, reject);
    const check = () => {
      host.observe(place, { signal }).then((found) => {
        // Requests to a failed virtual cluster get an error that explains why.
        if (found?.phase === 'Ready' || found?.phase === 'Failed') resolve();
      }, reject);
    };
    const onChange = ({ namespace, name = place.name }: { readonly namespace: string; readonly name?: string }) => {
      if (namespace === place.namespace && name === place.name) check();
    };
    void host.watch({ onChange, onGap: check }, done.signal).finally(unfollow);
  }).finally(() => done.abort());
}
