import { namespaceKind } from '../../api/core/namespace.ts';
import { defaultRoleInside } from '../../api/management/roles-inside.ts';
import { badRequest } from '../../api/status.ts';
import {
  isAsleep,
  isBeingRemoved,
  type VirtualCluster,
  virtualClusterKind,
} from '../../api/storage/virtual-cluster.ts';
import { startFollower } from '../../client/follower.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { applyObjects } from '../apply-objects.ts';
import type { ApiRequest, ApiResponse, Host, HostCall, HostedVirtualCluster, HostPhase, HostPlace } from '../host.ts';
import { deleteOnce, findObject, makeOwned, type Owned, ownerOf } from '../owned-object.ts';
import { virtualClient } from '../virtual-client.ts';

export interface BuiltinHostOptions {
  /** A client of the built-in cluster: in this process, or over HTTPS if it runs on another machine. */
  readonly hostClient: ApiClient;
  /** Sends a request to the virtual cluster at that location. */
  send(place: HostPlace, request: ApiRequest): Promise<ApiResponse>;
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

  async function setAsleep(place: HostPlace, asleep: boolean, { signal }: HostCall = {}): Promise<void> {
    await virtualClusters.patch(place, { spec: { asleep } }, signal === undefined ? {} : { signal });
  }

  return {
    boundRoles: [defaultRoleInside],

    async discover(call = {}) {
      const { items } = await virtualClusters.list(call);
      return items.map(hosted);
    },

    async install({ place, owner, displayName, metadata = {}, space = {} }, call = {}) {
      const namespace: Owned = {
        kind: namespaceKind,
        place: { name: place.namespace },
        owner,
        spec: undefined,
        decoration: space,
      };
      await makeOwned(namespaces, namespace, call);
      if (space.objects !== undefined && space.objects.trim() !== '') {
        const host = virtualClient({ send: (request) => options.sendToHost(request) }, call.signal ?? never);
        await applyObjects(space.objects, host, place.namespace);
      }
      const spec = displayName === undefined ? {} : { displayName };
      const virtualCluster: Owned = { kind: virtualClusterKind, place, owner, spec, decoration: metadata };
      await makeOwned(virtualClusters, virtualCluster, call);
    },

    async observe(place, call = {}) {
      const object = await findObject(virtualClusters, place, call);
      return object === undefined ? undefined : hosted(object);
    },

    async remove(place, { owner, uid }, call = {}) {
      const object = await findObject(virtualClusters, place, call);
      if (object !== undefined && (uid === undefined || object.metadata.uid === uid)) {
        await deleteOnce(virtualClusters, place, object, call);
        return false;
      }
      const namespace = await findObject(namespaces, { name: place.namespace }, call);
      if (namespace === undefined || ownerOf(namespace) !== owner) return true;
      await deleteOnce(namespaces, { name: place.namespace }, namespace, call);
      return false;
    },

    sleep: (place, call) => setAsleep(place, true, call),
    wake: (place, call) => setAsleep(place, false, call),

    async follow({ onChange, onGap }, signal) {
      const { clock, log } = options;
      const following = { clock, log, signal, onGap };
      const followers = [
        startFollower({
          ...following,
          resource: virtualClusters,
          onChange: ({ metadata: { namespace = '', name = '' } }) => onChange({ namespace, name }),
        }),
        // The namespace is the last object to disappear when a virtual cluster is removed.
        startFollower({
          ...following,
          resource: namespaces,
          onChange({ metadata: { name = '', deletionTimestamp } }) {
            if (deletionTimestamp !== undefined) onChange({ namespace: name });
          },
        }),
      ];
      await Promise.all(followers.map(({ done }) => done));
    },

    reach: (place) => ({ send: (request) => options.send(place, request) }),

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
export function hosted(object: VirtualCluster): HostedVirtualCluster {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  const { reason = '', message = '', kubernetesVersion = '' } = object.status ?? {};
  const phase = phaseOf(object);
  // Just after a wake call, the status still explains the sleep.
  const isOutdated = phase === 'Pending' && object.status?.phase === 'Sleeping';
  return {
    place: { namespace, name },
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
  if (object.metadata.deletionTimestamp !== undefined || isBeingRemoved(object)) return 'Removing';
  if (isAsleep(object)) return 'Sleeping';
  const phase = object.status?.phase;
  return phase === 'Ready' || phase === 'Failed' ? phase : 'Pending';
}
