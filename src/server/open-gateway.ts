import { asleepByRest } from '../api/management/sleep-reasons.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { localCluster } from '../api/naming.ts';
import type { Authenticator } from '../auth/authn.ts';
import { builtInGateway } from '../builtin/built-in-gateway.ts';
import type { Planes } from '../builtin/open-planes.ts';
import type { TokenKeys } from '../controlplane/core/account-tokens.ts';
import { accountReviews } from '../gateway/account-reviews.ts';
import { hostedCluster } from '../gateway/hosted-cluster.ts';
import { type ActivityLog, createActivityLog } from '../gateway/instance-activity.ts';
import { createInstanceChanges } from '../gateway/instance-changes.ts';
import { type GatewayCluster, type InstanceDoors, instanceDoors } from '../gateway/instance-doors.ts';
import { type InstanceGatewayOptions, instanceDepth, instanceGateway } from '../gateway/instance-gateway.ts';
import { TargetRooms } from '../gateway/target-room.ts';
import type { Host } from '../hosts/host.ts';
import type { Mount } from '../http/router.ts';
import type { Clock } from '../lib/clock.ts';
import { textAt } from '../lib/json-path.ts';
import { storeOf } from '../registry/kind-stores.ts';
import type { Management } from './open-management.ts';

export interface GatewayOptions {
  readonly management: Management;
  readonly planes: Planes;
  readonly tokens: TokenKeys;
  /** The host that is connected under that name; undefined: this server has no way to it. */
  hostOf(cluster: string): Host | undefined;
  /** Service accounts of virtual clusters get in with their own tokens. */
  readonly serviceAccountTokens: boolean;
  readonly clock: Clock;
}

export interface Gateway {
  /** Who used which instance when, for those who put them to sleep. */
  readonly activity: ActivityLog;
  /** For those who wait for the answers of clusters elsewhere. */
  readonly rooms: TargetRooms;
  mount(options: GatewayMountOptions): Mount;
  close(): void;
}

export interface GatewayMountOptions extends Pick<InstanceGatewayOptions, 'chain' | 'authorize' | 'onPlane'> {
  readonly apiPrefix: string;
  readonly resume: Authenticator['resume'];
}

/** `/<api_prefix>/project/<project>/virtualcluster/<name>`, for instances on whatever cluster this server has a way to. */
export function openGateway({ management, planes, tokens, clock, ...options }: GatewayOptions): Gateway {
  const activity = createActivityLog(clock);
  const changes = createInstanceChanges();
  const stop = storeOf(management.plane.kinds, virtualClusterInstanceKind).listen(({ before, after }) => {
    if (after === undefined) activity.forget(before?.object.metadata.uid ?? '');
    changes.changed(before?.object, after?.object);
  });
  const rooms = new TargetRooms();
  const reviews = accountReviews({ clock });
  const isOwnToken = async (token: string) => (await tokens.verify(token)) !== undefined;
  const builtIn = builtInGateway(planes);
  /** By their host, which is another one when its credentials are. */
  const elsewhere = new WeakMap<Host, GatewayCluster>();

  function clusterOf(cluster: string): GatewayCluster | undefined {
    if (cluster === localCluster) return builtIn;
    const host = options.hostOf(cluster);
    if (host === undefined) return undefined;
    const known = elsewhere.get(host);
    if (known !== undefined) return known;
    const made = hostedCluster({ host, cluster, depth: instanceDepth, reviews, rooms, isOwnToken, clock });
    elsewhere.set(host, made);
    return made;
  }

  const doors: InstanceDoors = instanceDoors({
    clusterOf,
    latest({ metadata: { namespace = '', name = '', uid } }) {
      const found = management.state.instance(namespace, name);
      return found?.metadata.uid === uid ? found : undefined;
    },
    activity,
    restsUnused: (instance) => textAt(instance, 'status', 'reason') === asleepByRest,
    clock,
  });
  return {
    activity,
    rooms,
    mount: ({ apiPrefix, ...mounted }) => ({
      prefix: `/${apiPrefix}/project`,
      handler: instanceGateway({
        ...mounted,
        instance: (namespace, name) => management.state.instance(namespace, name),
        doors,
        changes,
        tokens,
        serviceAccountTokens: options.serviceAccountTokens,
        clock,
      }),
    }),
    close: stop,
  };
}
