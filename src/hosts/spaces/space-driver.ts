import type { JsonObject } from '@flotilla/json';
import { namespaceKind } from '../../api/core/namespace.ts';
import type { KubeObject } from '../../api/meta.ts';
import { asleepAnnotation, displayNameAnnotation, hostOwnerLabel, keepNamespaceAnnotation } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict, notFound, StatusError, serviceUnavailable } from '../../api/status.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type {
  HostCallOptions,
  HostedVirtualCluster,
  HostPhase,
  InstallRequest,
  InstanceDriver,
  LabelsAndAnnotations,
  SleepOptions,
} from '../host.ts';
import { stuckNamespace } from '../kubernetes/release/stuck-namespace.ts';
import { deleteByUid, ensureOwnedObject, findObject, ownerOf } from '../owned-object.ts';
import { scaleDownSpace, scaleUpSpace } from './scale-space.ts';
import { ensureSpaceBindings } from './space-bindings.ts';

export interface SpaceDriverOptions extends Pick<InstanceDriver, 'isolatesNamespaces' | 'watch'> {
  readonly hostClient: ApiClient;
  /** Returns the labels and annotations that the request sets on the namespace. */
  namespaceMetadata(request: InstallRequest): LabelsAndAnnotations;
  /** Applies the objects of the request in its namespace. */
  applyObjects(request: InstallRequest, call: HostCallOptions): Promise<void>;
  /** Applies `InstallRequest.isolation` to the namespace. Absent if the host does not isolate namespaces. */
  isolate?(request: InstallRequest, call: HostCallOptions): Promise<void>;
  readonly clock: Clock;
}

/** The spaces of a host of any kind. A space is a namespace with the label of its owner. */
export function createSpaceDriver(options: SpaceDriverOptions): InstanceDriver {
  const { hostClient, isolatesNamespaces } = options;
  const namespaces = hostClient.resource(namespaceKind);
  const existing = async (name: string, call: HostCallOptions): Promise<KubeObject> => {
    const namespace = await findObject(namespaces, { name }, call);
    if (namespace === undefined) throw notFound(groupResourceOf(namespaceKind), name);
    return namespace;
  };
  const setAsleep = (name: string, asleep: 'true' | 'falling-asleep' | null, more: JsonObject, call: HostCallOptions) =>
    namespaces.patch({ name }, { metadata: { ...more, annotations: { [asleepAnnotation]: asleep } } }, call);
  return {
    ...(isolatesNamespaces === undefined ? {} : { isolatesNamespaces }),

    async install(request, call = {}) {
      const { location, owner, bindings = [], adopt } = request;
      const { namespace } = location;
      if (adopt !== undefined) await adoptNamespace(hostClient, { namespace, owner, uid: adopt }, call);
      const metadata = metadataOf(request, options.namespaceMetadata(request));
      const spec = { kind: namespaceKind, key: { name: namespace }, owner, spec: undefined, metadata };
      const isNew = await ensureOwnedObject(namespaces, spec, call);
      // The isolation is applied after the objects of the template, so no object of the template can replace a part of
      // the isolation.
      if ((request.space?.objects ?? []).length > 0) await options.applyObjects(request, call);
      if (request.isolation !== undefined) await options.isolate?.(request, call);
      await ensureSpaceBindings(hostClient, { namespace, owner, bindings, isNew }, call);
      if (isNew || asleepOf(await existing(namespace, call)) !== 'falling-asleep') return;
      await scaleDownSpace(hostClient, namespace, call);
      await setAsleep(namespace, 'true', {}, call);
    },

    async observe({ namespace }, call = {}) {
      const found = await findObject(namespaces, { name: namespace }, call);
      return found === undefined ? undefined : toHostedSpace(found);
    },

    async remove({ namespace: name }, { owner, uid }, call = {}) {
      const namespace = await findObject(namespaces, { name }, call);
      if (namespace === undefined || ownerOf(namespace) !== owner) return true;
      if (uid !== undefined && namespace.metadata.uid !== uid) return true;
      if (namespace.metadata.annotations?.[keepNamespaceAnnotation] === 'true') {
        await releaseNamespace(hostClient, { namespace, owner }, call);
        return true;
      }
      await deleteByUid(namespaces, { name }, namespace, call);
      const stuck = stuckNamespace(namespace, options.clock.now());
      if (stuck !== '') throw serviceUnavailable(`the namespace ${name} is still being deleted: ${stuck}`);
      return false;
    },

    async sleep({ namespace: name }, { isWanted, ...call }: SleepOptions = {}) {
      const { metadata } = await existing(name, call);
      if (isWanted !== undefined && !(await isWanted())) return;
      const { resourceVersion = '' } = metadata;
      // As long as the annotation has this value, `observe` reports drift, and `install` completes the interrupted
      // call.
      const falling = await setAsleep(name, 'falling-asleep', { resourceVersion }, call);
      await scaleDownSpace(hostClient, name, call);
      try {
        await setAsleep(name, 'true', { resourceVersion: falling.metadata.resourceVersion ?? '' }, call);
      } catch (error) {
        // The write fails with 409 if the space was woken at the same time. Then wake the workloads again.
        if (error instanceof StatusError && error.code === 409) await scaleUpSpace(hostClient, name, call);
        throw error;
      }
    },

    async wake({ namespace: name }, call = {}) {
      await existing(name, call);
      await scaleUpSpace(hostClient, name, call);
      await setAsleep(name, null, {}, call);
    },

    watch: (listener, signal) => options.watch(listener, signal),
  };
}

function metadataOf({ displayName }: InstallRequest, metadata: LabelsAndAnnotations): LabelsAndAnnotations {
  if (displayName === undefined) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [displayNameAnnotation]: displayName } };
}

/**
 * Makes an imported namespace belong to its new owner. If no earlier space created the namespace, adds an annotation,
 * which keeps the namespace when the space is deleted. Throws 409 if the namespace has another uid, because it was
 * replaced by a new one.
 */
async function adoptNamespace(
  hostClient: ApiClient,
  { namespace: name, owner, uid }: { readonly namespace: string; readonly owner: string; readonly uid: string },
  call: HostCallOptions,
): Promise<void> {
  const namespaces = hostClient.resource(namespaceKind);
  const namespace = await findObject(namespaces, { name }, call);
  if (namespace === undefined) throw notFound(groupResourceOf(namespaceKind), name);
  if (namespace.metadata.uid !== uid) {
    throw conflict(
      groupResourceOf(namespaceKind),
      name,
      'the namespace was deleted and created again after its import',
    );
  }
  const before = ownerOf(namespace);
  if (before === owner) return;
  const annotations = before === '' ? { [keepNamespaceAnnotation]: 'true' } : {};
  const { resourceVersion = '' } = namespace.metadata;
  const metadata = { resourceVersion, labels: { [hostOwnerLabel]: owner }, annotations };
  await namespaces.patch({ name }, { metadata }, call);
}

/**
 * Removes everything that the server added to a namespace that is kept: role bindings, the label and the annotations.
 */
async function releaseNamespace(
  hostClient: ApiClient,
  { namespace, owner }: { readonly namespace: KubeObject; readonly owner: string },
  call: HostCallOptions,
): Promise<void> {
  const { name = '' } = namespace.metadata;
  if (asleepOf(namespace) !== '') await scaleUpSpace(hostClient, name, call);
  await ensureSpaceBindings(hostClient, { namespace: name, owner, bindings: [], isNew: false }, call);
  const annotations = { [keepNamespaceAnnotation]: null, [asleepAnnotation]: null, [displayNameAnnotation]: null };
  await hostClient
    .resource(namespaceKind)
    .patch({ name }, { metadata: { labels: { [hostOwnerLabel]: null }, annotations } }, call);
}

function asleepOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[asleepAnnotation] ?? '';
}

/** Returns the state of the space in a namespace. */
function toHostedSpace(namespace: KubeObject): HostedVirtualCluster {
  const { name = '', uid = '' } = namespace.metadata;
  return {
    location: { namespace: name, name: '' },
    uid,
    phase: phaseOf(namespace),
    reason: '',
    message: '',
    kubernetesVersion: '',
    owner: ownerOf(namespace),
    ...(asleepOf(namespace) === 'falling-asleep' ? { drift: 'some workloads may not be asleep yet' } : {}),
  };
}

function phaseOf(namespace: KubeObject): HostPhase {
  if (namespace.metadata.deletionTimestamp !== undefined) return 'Removing';
  return asleepOf(namespace) === '' ? 'Ready' : 'Sleeping';
}
