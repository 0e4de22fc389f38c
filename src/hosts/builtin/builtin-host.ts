import { namespaceKind } from '../../api/core/namespace.ts';
import { defaultHostAccessSettings } from '../../api/management/host-access/host-access-settings.ts';
import { defaultVirtualClusterRole } from '../../api/management/virtual-cluster-roles.ts';
import { rbacGroup } from '../../api/rbac/policy-rule.ts';
import type { FieldsOf } from '../../api/resource.ts';
import { badRequest } from '../../api/status.ts';
import {
  isReadyForRemoval,
  isVirtualClusterSleeping,
  type VirtualCluster,
  virtualClusterKind,
} from '../../api/storage/virtual-cluster.ts';
import { startChangeNotifier } from '../../client/change-notifier.ts';
import type { ApiClient, ResourceClient } from '../../client/resource-client.ts';
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
  InstallRequest,
  InstanceDriver,
  SleepOptions,
} from '../host.ts';
import { deleteByUid, ensureOwnedObject, findObject, type OwnedObjectSpec, ownerOf } from '../owned-object.ts';
import { createSpaceDriver } from '../spaces/space-driver.ts';
import { createVirtualClusterClient } from '../virtual-cluster-client.ts';
import { withoutReservedLabels } from '../without-reserved-labels.ts';

export interface BuiltinHostOptions {
  /** A client for the built-in cluster, either in this process or over HTTPS on another machine. */
  readonly hostClient: ApiClient;
  /** Sends a request to the virtual cluster at this location. */
  send(location: HostLocation, request: ApiRequest): Promise<ApiResponse>;
  /** Sends a request to the built-in cluster itself. */
  sendToHost(request: ApiRequest): Promise<ApiResponse>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The host driver of a built-in cluster. Each virtual cluster is a VirtualCluster object, and the functions of the
 * driver read and change that object.
 */
export function builtinHost(options: BuiltinHostOptions): Host {
  const virtualClusters = options.hostClient.resource(virtualClusterKind);
  const namespaces = options.hostClient.resource(namespaceKind);

  return {
    preboundRoles: [defaultVirtualClusterRole],

    spaces: spacesOf(options),

    async discover(call = {}) {
      const { items } = await virtualClusters.list(call);
      return items.map(toHostedVirtualCluster);
    },

    async install({ location, owner, displayName, api, metadata = {}, space = {} }, call = {}) {
      const namespace: OwnedObjectSpec = {
        kind: namespaceKind,
        key: { name: location.namespace },
        owner,
        spec: undefined,
        metadata: withoutReservedLabels(space),
      };
      await ensureOwnedObject(namespaces, namespace, call);
      await applyInNamespace(options, { location, space }, call);
      const spec = {
        ...(displayName === undefined ? {} : { displayName }),
        ...(api === undefined ? {} : { api }),
      };
      const virtualCluster: OwnedObjectSpec = { kind: virtualClusterKind, key: location, owner, spec, metadata };
      await ensureOwnedObject(virtualClusters, virtualCluster, call);
    },

    async observe(location, call = {}) {
      const object = await findObject(virtualClusters, location, call);
      return object === undefined ? undefined : toHostedVirtualCluster(object);
    },

    async remove(location, { owner, uid }, call = {}) {
      const object = await findObject(virtualClusters, location, call);
      if (object !== undefined && (uid === undefined || object.metadata.uid === uid)) {
        await deleteByUid(virtualClusters, location, object, call);
        return false;
      }
      const namespace = await findObject(namespaces, { name: location.namespace }, call);
      if (namespace === undefined || ownerOf(namespace) !== owner) return true;
      await deleteByUid(namespaces, { name: location.namespace }, namespace, call);
      return false;
    },

    sleep: (location, call) => setAsleep(virtualClusters, true, location, call),
    wake: (location, call) => setAsleep(virtualClusters, false, location, call),

    async watch({ onChange, onGap }, signal) {
      const { clock, log } = options;
      const following = { clock, log, signal, onGap };
      const followers = [
        startChangeNotifier({
          ...following,
          resource: virtualClusters,
          onChange: ({ metadata: { namespace = '', name = '' } }) => onChange({ namespace, name }),
        }),
        // Report deletions of namespaces too: when a virtual cluster is removed, its namespace disappears last.
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

    clusterApi: (location) => ({ send: (request) => options.send(location, request) }),

    async logs(location, { signal }) {
      await virtualClusters.get(location, { signal });
      throw badRequest(
        `the virtual cluster ${JSON.stringify(location.name)} has no log of its own because it runs inside the server`,
      );
    },
  };
}

/**
 * Puts a virtual cluster to sleep, or wakes it. If `isWanted` is given, the virtual cluster is read before `isWanted`
 * is called, and the change fails if another change was made since that read.
 */
async function setAsleep(
  virtualClusters: ResourceClient<FieldsOf<typeof virtualClusterKind>>,
  asleep: boolean,
  location: HostLocation,
  { signal, isWanted }: SleepOptions = {},
): Promise<void> {
  const call = signal === undefined ? {} : { signal };
  if (isWanted === undefined) {
    await virtualClusters.patch(location, { spec: { asleep } }, call);
    return;
  }
  const { resourceVersion = '' } = (await virtualClusters.get(location, call)).metadata;
  if (await isWanted())
    await virtualClusters.patch(location, { metadata: { resourceVersion }, spec: { asleep } }, call);
}

/** Returns the driver of the spaces, which are namespaces of the built-in cluster itself. */
function spacesOf(options: BuiltinHostOptions): InstanceDriver {
  const namespaces = options.hostClient.resource(namespaceKind);
  return createSpaceDriver({
    hostClient: options.hostClient,
    namespaceMetadata: ({ space = {} }) => withoutReservedLabels(space),
    applyObjects: (request, call) => applyInNamespace(options, request, call),
    async watch({ onChange, onGap }, signal) {
      const { clock, log } = options;
      const follower = startChangeNotifier({
        clock,
        log,
        signal,
        onGap,
        resource: namespaces,
        onChange: ({ metadata: { name = '' } }) => onChange({ namespace: name, name: '' }),
      });
      await follower.done;
    },
    clock: options.clock,
  });
}

/**
 * Applies the objects of a request in its namespace. The server uses its own permissions for this. So objects of RBAC
 * kinds are refused: a role binding could otherwise grant more permissions than the author of the template has.
 */
async function applyInNamespace(
  options: BuiltinHostOptions,
  { location, space = {} }: Pick<InstallRequest, 'location' | 'space'>,
  call: HostCallOptions,
): Promise<void> {
  const { objects = [], allowedResources = defaultHostAccessSettings.allowedResources } = space;
  if (objects.length === 0) return;
  const host = createVirtualClusterClient({ send: (request) => options.sendToHost(request) }, call.signal ?? never);
  await applyObjects(objects, host, { name: location.namespace, allowedResources, refusedGroups: [rbacGroup] });
}

const never = new AbortController().signal;

/** Returns the state of the virtual cluster that a VirtualCluster object describes. */
export function toHostedVirtualCluster(object: VirtualCluster): HostedVirtualCluster {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  const { reason = '', message = '', kubernetesVersion = '' } = object.status ?? {};
  const phase = phaseOf(object);
  // Immediately after a wake call, reason and message of the status are about the sleep, so they are not returned.
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

/**
 * Returns the phase from the status, because a change to the spec takes effect only after the cluster has acted on the
 * change. A sleep is the exception: it blocks access as soon as the spec requests it.
 */
function phaseOf(object: VirtualCluster): HostPhase {
  if (object.metadata.deletionTimestamp !== undefined || isReadyForRemoval(object)) return 'Removing';
  if (isVirtualClusterSleeping(object)) return 'Sleeping';
  const phase = object.status?.phase;
  return phase === 'Ready' || phase === 'Failed' ? phase : 'Pending';
}
