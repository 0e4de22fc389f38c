import { namespaceKind } from '../../api/core/namespace.ts';
import { defaultVirtualClusterRole } from '../../api/management/virtual-cluster-roles.ts';
import { badRequest } from '../../api/status.ts';
import {
  isReadyForRemoval,
  isVirtualClusterSleeping,
  type VirtualCluster,
  virtualClusterKind,
} from '../../api/storage/virtual-cluster.ts';
import { startChangeNotifier } from '../../client/change-notifier.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { applyObjects } from '../apply-objects.ts';
import type {
  ApiRequest,
  ApiResponse,
  Host,
  HostCallOptions,
  HostedVirtualCluster,
  HostLocation,
  HostPhase,
} from '../host.ts';
import { deleteByUid, ensureOwnedObject, findObject, type OwnedObjectSpec, ownerOf } from '../owned-object.ts';
import { virtualClient } from '../virtual-client.ts';

export interface BuiltinHostOptions {
  /** A client of the built-in cluster: in this process, or over HTTPS if it runs on another machine. */
  readonly hostClient: ApiClient;
  /** Sends a request to the virtual cluster at that location. */
  send(place: HostLocation, request: ApiRequest): Promise<ApiResponse>;
  /** Sends a request to the built-in cluster itself. */
  sendToHost(request: ApiRequest): Promise<ApiResponse>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The host driver of a built-in cluster: each virtual cluster is a VirtualCluster object, and requests change that
 * object.
 */
export function builtinHost(options: BuiltinHostOptions): Host {
  const virtualClusters = options.hostClient.resource(virtualClusterKind);
  const namespaces = options.hostClient.resource(namespaceKind);

  async function setAsleep(place: HostLocation, asleep: boolean, { signal }: HostCallOptions = {}): Promise<void> {
    await virtualClusters.patch(place, { spec: { asleep } }, signal === undefined ? {} : { signal });
  }

  return {
    preboundRoles: [defaultVirtualClusterRole],

    async discover(call = {}) {
      const { items } = await virtualClusters.list(call);
      return items.map(toHostedVirtualCluster);
    },

    async install({ location, owner, displayName, metadata = {}, space = {} }, call = {}) {
      const namespace: OwnedObjectSpec = {
        kind: namespaceKind,
        place: { name: location.namespace },
        owner,
        spec: undefined,
        metadata: space,
      };
      await ensureOwnedObject(namespaces, namespace, call);
      if (space.objects !== undefined && space.objects.trim() !== '') {
        const host = virtualClient({ send: (request) => options.sendToHost(request) }, call.signal ?? never);
        await applyObjects(space.objects, host, location.namespace);
      }
      const spec = displayName === undefined ? {} : { displayName };
      const virtualCluster: OwnedObjectSpec = { kind: virtualClusterKind, place: location, owner, spec, metadata };
      await ensureOwnedObject(virtualClusters, virtualCluster, call);
    },

    async observe(place, call = {}) {
      const object = await findObject(virtualClusters, place, call);
      return object === undefined ? undefined : toHostedVirtualCluster(object);
    },

    async remove(place, { owner, uid }, call = {}) {
      const object = await findObject(virtualClusters, place, call);
      if (object !== undefined && (uid === undefined || object.metadata.uid === uid)) {
        await deleteByUid(virtualClusters, place, object, call);
        return false;
      }
      const namespace = await findObject(namespaces, { name: place.namespace }, call);
      if (namespace === undefined || ownerOf(namespace) !== owner) return true;
      await deleteByUid(namespaces, { name: place.namespace }, namespace, call);
      return false;
    },

    sleep: (place, call) => setAsleep(place, true, call),
    wake: (place, call) => setAsleep(place, false, call),

    async watch({ onChange, onGap }, signal) {
      const { clock, log } = options;
      const following = { clock, log, signal, onGap };
      const followers = [
        startChangeNotifier({
          ...following,
          resource: virtualClusters,
          onChange: ({ metadata: { namespace = '', name = '' } }) => onChange({ namespace, name }),
        }),
        // The namespace is the last object to disappear when a virtual cluster is removed.
        startChangeNotifier({
          ...following,
          resource: namespaces,
          onChange({ metadata: { name = '', deletionTimestamp } }) {
            if (deletionTimestamp !== undefined) onChange({ namespace: name });
          },
        }),
      ];
      await Promise.all(followers.map(({ done }) => done));
    },

    clusterApi: (place) => ({ send: (request) => options.send(place, request) }),

    async logs(place, { signal }) {
      await virtualClusters.get(place, { signal });
      throw badRequest(
        `the virtual cluster ${JSON.stringify(place.name)} has no log of its own because it runs inside the server`,
      );
    },
  };
}

const never = new AbortController().signal;

/** The state of the virtual cluster that the object describes. */
export function toHostedVirtualCluster(object: VirtualCluster): HostedVirtualCluster {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  const { reason = '', message = '', kubernetesVersion = '' } = object.status ?? {};
  const phase = phaseOf(object);
  // Just after a wake call, the status still explains the sleep.
  const isOutdated = phase === 'Pending' && object.status?.phase === 'Sleeping';
  return {
    location: { namespace, name },
    uid,
    phase,
    reason: isOutdated ? '' : reason,
    message: isOutdated ? '' : message,
    kubernetesVersion,
    owner: ownerOf(object),
  };
}

/** A new spec takes effect only once the cluster has acted on it, except that `asleep` blocks access immediately. */
function phaseOf(object: VirtualCluster): HostPhase {
  if (object.metadata.deletionTimestamp !== undefined || isReadyForRemoval(object)) return 'Removing';
  if (isVirtualClusterSleeping(object)) return 'Sleeping';
  const phase = object.status?.phase;
  return phase === 'Ready' || phase === 'Failed' ? phase : 'Pending';
}
