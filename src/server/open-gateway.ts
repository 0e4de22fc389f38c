import { sleepUnusedReason } from '../api/management/sleep-reasons.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { builtInClusterName } from '../api/naming.ts';
import type { Authenticator } from '../auth/authn.ts';
import { builtInGateway } from '../builtin/built-in-gateway.ts';
import type { BuiltInClusterPlanes } from '../builtin/open-planes.ts';
import type { TokenKeys } from '../controlplane/core/accounts/account-tokens.ts';
import { TargetLimiters } from '../gateway/forward/target-limiter.ts';
import { hostedCluster } from '../gateway/hosted-cluster.ts';
import { createInstanceAccess, type GatewayCluster, type InstanceAccess } from '../gateway/instance-access.ts';
import { type ActivityLog, createActivityLog } from '../gateway/instance-activity.ts';
import { createInstanceChanges } from '../gateway/instance-changes.ts';
import { type InstanceGatewayOptions, instanceGateway, instancePathDepth } from '../gateway/instance-gateway.ts';
import { createTokenReviews } from '../gateway/token-reviews.ts';
import type { Host } from '../hosts/host.ts';
import type { Mount } from '../http/router.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { storeOf } from '../registry/kind-stores.ts';
import type { Store } from '../store/store.ts';
import type { ManagementApi } from './open-management.ts';
import { SharedActivityLog } from './shared-activity.ts';

export interface GatewayOptions {
  readonly management: ManagementApi;
  readonly planes: BuiltInClusterPlanes;
  readonly tokens: TokenKeys;
  readonly store: Store;
  /** Returns the host of the connected cluster with this name; `undefined` if there is none. */
  hostOf(cluster: string): Host | undefined;
  /** True to accept service account tokens of virtual clusters. */
  readonly serviceAccountTokens: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Gateway {
  /** Records the last use of each instance, which auto-sleep depends on. */
  readonly activity: ActivityLog;
  /** Limits concurrent requests to remote clusters. */
  readonly limiters: TargetLimiters;
  mount(options: GatewayMountOptions): Mount;
  close(): void;
}

export interface GatewayMountOptions extends Pick<InstanceGatewayOptions, 'chain' | 'authorize' | 'onPlane'> {
  readonly apiPrefix: string;
  readonly resume: Authenticator['authenticateByKey'];
}

/** Serves `/<api_prefix>/project/<project>/virtualcluster/<name>` for instances on all connected clusters. */
export function openGateway({ management, planes, tokens, clock, ...options }: GatewayOptions): Gateway {
  const { store, log } = options;
  const shared = store.isShared ? new SharedActivityLog({ store, clock, log }) : undefined;
  const activity = shared ?? createActivityLog(clock);
  const changes = createInstanceChanges();
  const instances = storeOf(management.plane.kinds, virtualClusterInstanceKind);
  const stop = instances.listen(({ before, after }) => {
    if (after === undefined) activity.forget(before?.object.metadata.uid ?? '');
    else shared?.update(after.object);
    changes.handleChange(before?.object, after?.object);
  });
  if (shared !== undefined) for (const { object } of instances.peekAll()) shared.update(object);
  const limiters = new TargetLimiters();
  const reviews = createTokenReviews({ clock });
  const isOwnToken = async (token: string) => (await tokens.verify(token)) !== undefined;
  const builtIn = builtInGateway(planes);
  /** Gateway clusters by their Host object. New credentials replace the Host object and therefore the entry. */
  const remoteClusters = new WeakMap<Host, GatewayCluster>();

  function clusterOf(cluster: string): GatewayCluster | undefined {
    if (cluster === builtInClusterName) return builtIn;
    const host = options.hostOf(cluster);
    if (host === undefined) return undefined;
    const known = remoteClusters.get(host);
    if (known !== undefined) return known;
    const made = hostedCluster({
      host,
      cluster,
      pathDepth: instancePathDepth,
      tokenReviews: reviews,
      limiters: limiters,
      isOwnToken,
      clock,
    });
    remoteClusters.set(host, made);
    return made;
  }

  const doors: InstanceAccess = createInstanceAccess({
    clusterOf,
    latest({ metadata: { namespace = '', name = '', uid } }) {
      const found = management.state.instance(namespace, name);
      return found?.metadata.uid === uid ? found : undefined;
    },
    activity,
    sleepsFromInactivity: (instance) => instance.status?.reason === sleepUnusedReason,
    clock,
  });
  return {
    activity,
    limiters: limiters,
    mount: ({ apiPrefix, ...mounted }) => ({
      prefix: `/${apiPrefix}/project`,
      handler: instanceGateway({
        ...mounted,
        instance: (namespace, name) => management.state.instance(namespace, name),
        access: doors,
        changes,
        tokens,
        serviceAccountTokens: options.serviceAccountTokens,
        clock,
      }),
    }),
    close: stop,
  };
}
