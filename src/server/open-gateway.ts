import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { localCluster } from '../api/naming.ts';
import type { Authenticator } from '../auth/authn.ts';
import { asleepByRest } from '../controllers/instances/sleep-mode.ts';
import type { TokenKeys } from '../controlplane/core/account-tokens.ts';
import { type ActivityLog, createActivityLog } from '../gateway/instance-activity.ts';
import { createInstanceChanges } from '../gateway/instance-changes.ts';
import { type InstanceDoors, instanceDoors, type PlaneCluster } from '../gateway/instance-doors.ts';
import { type InstanceGatewayOptions, instanceGateway } from '../gateway/instance-gateway.ts';
import type { Mount } from '../http/router.ts';
import type { Clock } from '../lib/clock.ts';
import { textAt } from '../lib/json-path.ts';
import type { Management } from './open-management.ts';
import type { Planes } from './open-planes.ts';
import { storeOf } from './rights-changes.ts';

export interface GatewayOptions {
  readonly management: Management;
  readonly planes: Planes;
  readonly tokens: TokenKeys;
  /** Service accounts of virtual clusters get in with their own tokens. */
  readonly serviceAccountTokens: boolean;
  readonly clock: Clock;
}

export interface Gateway {
  /** Who used which instance when, for those who put them to sleep. */
  readonly activity: ActivityLog;
  mount(options: GatewayMountOptions): Mount;
  close(): void;
}

export interface GatewayMountOptions extends Pick<InstanceGatewayOptions, 'chain' | 'authorize' | 'onPlane'> {
  readonly apiPrefix: string;
  readonly resume: Authenticator['resume'];
}

/** `/<api_prefix>/project/<project>/virtualcluster/<name>`, for instances on the built-in cluster. */
export function openGateway({ management, planes, tokens, serviceAccountTokens, clock }: GatewayOptions): Gateway {
  const { builtIn, host } = planes;
  const { virtualPlanes } = builtIn;
  const activity = createActivityLog(clock);
  const changes = createInstanceChanges();
  const stop = storeOf(management.plane.kinds, virtualClusterInstanceKind).listen(({ before, after }) => {
    if (after === undefined) activity.forget(before?.object.metadata.uid ?? '');
    changes.changed(before?.object, after?.object);
  });
  const local: PlaneCluster = {
    at: (place) => virtualPlanes.at(place),
    enter: (place) => virtualPlanes.enter(place),
    wake: (place, signal) => host.wake(place, { signal }),
    opened: (place, signal) => virtualPlanes.opened(place, signal),
  };
  const doors: InstanceDoors = instanceDoors({
    clusterOf: (name) => (hasGateway(name) ? local : undefined),
    activity,
    restsUnused: (instance) => textAt(instance, 'status', 'reason') === asleepByRest,
    clock,
  });
  return {
    activity,
    mount: ({ apiPrefix, ...options }) => ({
      prefix: `/${apiPrefix}/project`,
      handler: instanceGateway({
        ...options,
        instance: (namespace, name) => management.state.instance(namespace, name),
        doors,
        changes,
        tokens,
        ...(serviceAccountTokens ? { accounts: builtIn } : {}),
        serve: (plane) => builtIn.serve(plane),
        clock,
      }),
    }),
    close: stop,
  };
}

/** Whether people are led into the virtual clusters of that cluster. */
export function hasGateway(cluster: string): boolean {
  return cluster === localCluster;
}
