import { sleepUnusedReason } from '../api/management/sleep-reasons.ts';
import { spaceInstanceKind } from '../api/management/v1/space-instance.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { builtInClusterName } from '../api/naming.ts';
import type { Authenticator } from '../auth/authn.ts';
import { builtInGateway } from '../builtin/built-in-gateway.ts';
import { builtInSpaces } from '../builtin/built-in-spaces.ts';
import type { BuiltInClusterPlanes } from '../builtin/open-planes.ts';
import type { TokenKeys } from '../controlplane/core/accounts/account-tokens.ts';
import type { AccountTokenLimits } from '../gateway/account-tokens/account-token-limits.ts';
import { TargetLimiters } from '../gateway/forward/target-limiter.ts';
import { hostedCluster } from '../gateway/hosted-cluster.ts';
import { createInstanceAccess, type GatewayCluster, type InstanceAccess } from '../gateway/instance-access.ts';
import { type ActivityLog, createActivityLog } from '../gateway/instance-activity.ts';
import { createInstanceChanges, type InstanceChanges } from '../gateway/instance-changes.ts';
import { instancePathDepth } from '../gateway/instance-gateway.ts';
import { type InstanceType, type ProjectInstance, virtualClusterType } from '../gateway/instance-type.ts';
import { type ProjectGatewayOptions, projectGateway } from '../gateway/project-gateway.ts';
import { createTokenReviews } from '../gateway/reviews/token-reviews.ts';
import { remoteSpaces } from '../gateway/spaces/space-cluster.ts';
import { spaceType } from '../gateway/spaces/space-type.ts';
import type { Host } from '../hosts/host.ts';
import type { Mount } from '../http/router.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { storeOf } from '../registry/kind-stores.ts';
import type { Store } from '../store/store.ts';
import type { ConnectedHosts } from './connected-hosts.ts';
import type { CredentialUses } from './credential-uses.ts';
import type { ManagementApi } from './open-management.ts';
import { SharedActivityLog } from './shared-activity.ts';
import type { UsageSampling } from './usage/open-usage.ts';

export interface GatewayOptions {
  readonly management: ManagementApi;
  readonly planes: BuiltInClusterPlanes;
  readonly tokens: TokenKeys;
  readonly store: Store;
  /** Returns the host of the connected cluster with this name; `undefined` if there is none. */
  hostOf(cluster: string): Host | undefined;
  readonly connected: Pick<ConnectedHosts, 'apiOf'>;
  /** True to accept service account tokens of virtual clusters. */
  readonly serviceAccountTokens: boolean;
  readonly accountTokenLimits: AccountTokenLimits;
  readonly credentialUses: Pick<CredentialUses, 'record' | 'forget'>;
  readonly usage: Pick<UsageSampling, 'requests'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Gateway {
  /** Records the last use of each instance. Auto-sleep depends on these records. */
  readonly activity: ActivityLog;
  /** Limits concurrent requests to remote clusters. */
  readonly limiters: TargetLimiters;
  mount(options: GatewayMountOptions): Mount;
  close(): void;
}

export interface GatewayMountOptions extends Pick<ProjectGatewayOptions, 'chain' | 'authorize' | 'onPlane'> {
  readonly apiPrefix: string;
  readonly resume: Authenticator['authenticateByKey'];
}

/**
 * Serves `/<api_prefix>/project/<project>/virtualcluster/<name>` and `/<api_prefix>/project/<project>/space/<name>` for
 * instances on all connected clusters.
 */
export function openGateway({ management, planes, tokens, clock, ...options }: GatewayOptions): Gateway {
  const { store, log } = options;
  const { kinds } = management.plane;
  const { state } = management;
  const shared = store.isShared ? new SharedActivityLog({ store, clock, log }) : undefined;
  const activity = shared ?? createActivityLog(clock);
  const limiters = new TargetLimiters();
  const dependencies = { activity, shared, clock };
  const virtualClusters = openInstances(virtualClusterType, {
    ...dependencies,
    instances: storeOf(kinds, virtualClusterInstanceKind),
    instance: (namespace, name) => state.instance(namespace, name),
    clusterOf: virtualClustersOn({ ...options, planes, tokens, limiters, clock }),
    onDeleted: (uid) => options.credentialUses.forget(uid),
  });
  const spaces = openInstances(spaceType, {
    ...dependencies,
    instances: storeOf(kinds, spaceInstanceKind),
    instance: (namespace, name) => state.space(namespace, name),
    clusterOf: spacesOn({ ...options, planes, limiters, clock }),
  });
  return {
    activity,
    limiters,
    mount: ({ apiPrefix, ...mounted }) => ({
      prefix: `/${apiPrefix}/project`,
      handler: projectGateway({
        ...mounted,
        tokens,
        virtualClusters: {
          ...virtualClusters,
          serviceAccounts: {
            areAccepted: options.serviceAccountTokens,
            limits: options.accountTokenLimits,
            recordUse: ({ metadata }, use) => options.credentialUses.record(metadata.uid ?? '', use),
          },
        },
        spaces,
        countRequest: (uid, isWatch) => options.usage.requests.count(uid, isWatch),
        clock,
      }),
    }),
    close() {
      virtualClusters.stop();
      spaces.stop();
    },
  };
}

/** The part of a store that the gateway uses. */
interface InstanceStore<Instance extends ProjectInstance> {
  listen(
    listener: (change: {
      readonly before?: { readonly object: Instance } | undefined;
      readonly after?: { readonly object: Instance } | undefined;
    }) => void,
  ): () => void;
  peekAll(): Iterable<{ readonly object: Instance }>;
}

interface OpenInstancesOptions<Instance extends ProjectInstance> {
  readonly instances: InstanceStore<Instance>;
  instance(namespace: string, name: string): Instance | undefined;
  clusterOf(cluster: string): GatewayCluster | undefined;
  /** Called with the uid of each deleted instance. Optional. */
  onDeleted?(uid: string): void;
  readonly activity: ActivityLog;
  readonly shared: SharedActivityLog | undefined;
  readonly clock: Clock;
}

interface OpenInstances<Instance extends ProjectInstance> {
  instance(namespace: string, name: string): Instance | undefined;
  readonly access: InstanceAccess<Instance>;
  readonly changes: InstanceChanges<Instance>;
  stop(): void;
}

/** Follows the instances of one kind, and gives the gateway access to them. */
function openInstances<Instance extends ProjectInstance>(
  type: InstanceType<Instance>,
  { instances, activity, shared, ...options }: OpenInstancesOptions<Instance>,
): OpenInstances<Instance> {
  const changes = createInstanceChanges(type);
  const stop = instances.listen(({ before, after }) => {
    if (after === undefined) {
      const { uid = '' } = before?.object.metadata ?? {};
      activity.forget(uid);
      options.onDeleted?.(uid);
    } else shared?.update(after.object);
    changes.handleChange(before?.object, after?.object);
  });
  if (shared !== undefined) for (const { object } of instances.peekAll()) shared.update(object);
  const access = createInstanceAccess({
    type,
    clusterOf: (cluster) => options.clusterOf(cluster),
    latest({ metadata: { namespace = '', name = '', uid } }) {
      const found = options.instance(namespace, name);
      return found?.metadata.uid === uid ? found : undefined;
    },
    activity,
    sleepsFromInactivity: (instance) => instance.status?.reason === sleepUnusedReason,
    clock: options.clock,
  });
  return { instance: (namespace, name) => options.instance(namespace, name), access, changes, stop };
}

type ClusterOptions = Pick<GatewayOptions, 'hostOf' | 'planes' | 'clock'> & { readonly limiters: TargetLimiters };

/** Returns a function that finds the cluster of virtual clusters. */
function virtualClustersOn(options: ClusterOptions & Pick<GatewayOptions, 'tokens'>) {
  const { tokens, limiters, clock } = options;
  const tokenReviews = createTokenReviews({ clock });
  const isOwnToken = async (token: string) => (await tokens.verify(token)) !== undefined;
  return clustersBy(options, builtInGateway(options.planes), (host, cluster) =>
    hostedCluster({ host, cluster, pathDepth: instancePathDepth, tokenReviews, limiters, isOwnToken, clock }),
  );
}

/** Returns a function that finds the cluster of spaces. */
function spacesOn(options: ClusterOptions & Pick<GatewayOptions, 'connected'>) {
  const { limiters, clock } = options;
  return clustersBy(options, builtInSpaces(options.planes, clock), (host, cluster) => {
    const api = options.connected.apiOf(cluster);
    return api && remoteSpaces({ host, cluster, api, limiters, clock });
  });
}

function clustersBy(
  { hostOf }: Pick<GatewayOptions, 'hostOf'>,
  builtIn: GatewayCluster,
  open: (host: Host, cluster: string) => GatewayCluster | undefined,
): (cluster: string) => GatewayCluster | undefined {
  /**
   * Gateway clusters by their Host object. New credentials of a cluster result in a new Host object, and thus in a new
   * entry.
   */
  const remoteClusters = new WeakMap<Host, GatewayCluster>();
  return (cluster) => {
    if (cluster === builtInClusterName) return builtIn;
    const host = hostOf(cluster);
    if (host === undefined) return undefined;
    const known = remoteClusters.get(host) ?? open(host, cluster);
    if (known !== undefined) remoteClusters.set(host, known);
    return known;
  };
}
