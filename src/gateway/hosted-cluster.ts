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
  /** The tokens of authenticated service accounts. Their requests are forwarded with these tokens. */
  const tokens = new WeakMap<Identity, string>();
  const credentialFor = (caller: Identity): ApiRequest['as'] => {
    const token = tokens.get(caller);
    return token === undefined ? caller.user : { token };
  };
  const targetOf = ({ namespace, name }: HostLocation) => `${cluster}/${namespace}/${name}`;

  /**
   * Returns the state of a virtual cluster from the cache of the host. Waits a short time if the cache is not synced
   * yet.
   */
  async function statusAt(location: HostLocation): Promise<AccessStatus | undefined> {
    const timeoutError = () => serviceUnavailable(`the cluster ${JSON.stringify(cluster)} did not respond in time`, 1);
    const found = await withTimeout({ clock: options.clock, milliseconds: observeTimeoutMs, timeoutError }, (signal) =>
      host.observe(location, { signal }),
    );
    return found && { uid: found.uid, owner: found.owner, access: accessOf(found) };
  }

  function identityOf(user: UserInfo, token: string, uid: string): Identity {
    // Service accounts in different virtual clusters have the same names, so the uid keeps them apart in fair queueing.
    const identity: Identity = { user, fairQueueKey: `${uid}/${user.name}`, system: false, signal: never };
    tokens.set(identity, token);
    return identity;
  }

  return {
    statusAt,
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
    wake: (location, signal) => host.wake(location, { signal }),
    whenUsable: (location, signal) => waitUntilUsable(host, location, signal),

    async authenticateServiceAccount(location, { token, uid, name }) {
      if (await options.isOwnToken(token)) return undefined;
      const target = `${targetOf(location)}/${uid}`;
      try {
        const state = await statusAt(location);
        if (state?.uid !== uid) return undefined;
        // Only the virtual cluster itself can review the token, and an unverified token must not wake it.
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

const asleepMessage = 'asleep and keeps its data; a request with an access key wakes it';
const observeTimeoutMs = 5_000;

function accessOf({ phase }: HostedVirtualCluster): AccessStatus['access'] {
  if (phase === 'Sleeping') return 'asleep';
  return phase === 'Removing' ? 'closing' : phase === 'Pending' ? 'opening' : 'open';
}

/** Resolves when the virtual cluster is ready or has failed. Checks its state again after each change. */
async function waitUntilUsable(host: Host, location: HostLocation, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const unfollow = onAbort(signal, reject);
    const check = () => {
      host.observe(location, { signal }).then((found) => {
        // A failed virtual cluster ends the wait too: requests to it return an error with the cause.
        if (found?.phase === 'Ready' || found?.phase === 'Failed') resolve();
      }, reject);
    };
    const onChange = ({ namespace, name = location.name }: { readonly namespace: string; readonly name?: string }) => {
      if (namespace === location.namespace && name === location.name) check();
    };
    void host.watch({ onChange, onGap: check }, done.signal).finally(unfollow);
  }).finally(() => done.abort());
}
