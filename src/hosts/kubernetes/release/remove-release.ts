import { namespaceKind } from '../../../api/core/namespace.ts';
import { secretKind } from '../../../api/core/secret.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { hostOwnerLabel, keepNamespaceAnnotation } from '../../../api/naming.ts';
import type { ResourceKind } from '../../../api/resource.ts';
import { serviceUnavailable } from '../../../api/status.ts';
import type { HostLocation } from '../../host.ts';
import { deleteByUid, findObject, ownerOf } from '../../owned-object.ts';
import { podKind, serviceKind, volumeClaimKind } from '../host-kinds.ts';
import { type ReleaseRecordSummary, summarizeService } from '../observe/object-summaries.ts';
import { controlPlaneSelector, credentialsSecret, releaseSelector } from './chart-labels.ts';
import { type HostContext, latestReleaseRecord } from './host-context.ts';
import { deleteSyncedPods, workloadsOf } from './scale-workloads.ts';
import { stuckNamespace } from './stuck-namespace.ts';

export interface RemovalTarget {
  readonly owner: string;
  readonly uid?: string;
}

/**
 * Removes a virtual cluster and its Helm release. Returns true after everything is removed. Returns false while the
 * removal is in progress; the caller must call again. Throws 503 if something blocks the removal.
 */
export async function removeRelease(
  work: HostContext,
  location: HostLocation,
  of: RemovalTarget,
  signal: AbortSignal,
): Promise<boolean> {
  const { hostClient, cache } = work;
  const service = await findObject(hostClient.resource(serviceKind), location, { signal });
  const record = await latestReleaseRecord(work, location, signal);
  if (service !== undefined && !isTarget(service, record, of)) return true;
  const hadObjects = await deleteObjects(work, location, { service, record, of }, signal);

  const namespaces = hostClient.resource(namespaceKind);
  const namespace = await findObject(namespaces, { name: location.namespace }, { signal });
  const isOurs = namespace !== undefined && ownerOf(namespace) === of.owner;
  const isKept = namespace?.metadata.annotations?.[keepNamespaceAnnotation] === 'true';
  if (isOurs && !isKept && !(await hasOtherVirtualCluster(work, location, signal))) {
    // This also deletes all other objects in the namespace.
    await deleteByUid(namespaces, { name: location.namespace }, namespace, { signal });
    const stuck = stuckNamespace(namespace, work.clock.now());
    if (stuck !== '') throw serviceUnavailable(`the namespace ${location.namespace} is still being deleted: ${stuck}`);
    return false;
  }
  if (namespace !== undefined) {
    if (hadObjects || (await isStillDeleting(work, location, of, signal))) return false;
    if (isOurs && isKept) {
      // The user has annotated the namespace so that it is kept. Remove the owner label, so that the namespace belongs
      // to the user.
      const labels = { [hostOwnerLabel]: null };
      await namespaces.patch({ name: location.namespace }, { metadata: { labels } }, { signal });
    }
  }
  const uid = of.uid ?? service?.metadata.uid;
  await cache.waitUntil(
    location,
    ({ service: known }) => known === undefined || (uid !== undefined && known.uid !== uid),
    signal,
  );
  return true;
}

/**
 * True if the found virtual cluster is the one to remove. Without a uid, a virtual cluster of the given owner or a
 * manually created one is removed, but never one of another owner.
 */
function isTarget(
  service: KubeObject,
  record: ReleaseRecordSummary | undefined,
  { owner, uid }: RemovalTarget,
): boolean {
  if (uid !== undefined) return service.metadata.uid === uid;
  return [owner, ''].includes(ownerOf(service) || (record?.owner ?? ''));
}

interface ExistingObjects {
  /** The service of the virtual cluster to remove; `undefined` if it is already deleted. */
  readonly service: KubeObject | undefined;
  readonly record: ReleaseRecordSummary | undefined;
  readonly of: RemovalTarget;
}

/** Deletes the objects of the virtual cluster. Returns false if there were none. */
async function deleteObjects(
  work: HostContext,
  location: HostLocation,
  { service, record, of }: ExistingObjects,
  signal: AbortSignal,
): Promise<boolean> {
  const { hostClient, helm } = work;
  if (service !== undefined) {
    // Delete the volume claims before the Helm release. If the server stops in between, the service still exists, and
    // so the removal is retried.
    await deleteAll(work, volumeClaimKind, location, signal);
  }
  const isOurs = record !== undefined && (record.owner === of.owner || record.status === 'uninstalling');
  if (record !== undefined && (service !== undefined || isOurs)) {
    await helm.uninstall(location, signal);
  } else {
    // There is no release to uninstall: the virtual cluster was installed without Helm, or the release record is
    // missing.
    const workloads = await workloadsOf(hostClient, location, signal);
    const targets = workloads.filter(({ object }) => service !== undefined || ownerOf(object) === of.owner);
    for (const { client, object } of targets) {
      await deleteByUid(client, { namespace: location.namespace, name: object.metadata.name ?? '' }, object, {
        signal,
      });
    }
    if (service !== undefined) await deleteByUid(hostClient.resource(serviceKind), location, service, { signal });
    if (service === undefined && targets.length === 0) return false;
  }
  const secrets = hostClient.resource(secretKind);
  const credentials = { namespace: location.namespace, name: credentialsSecret(location.name) };
  const secret = await findObject(work.metadataClient.resource(secretKind), credentials, { signal });
  if (secret !== undefined) await deleteByUid(secrets, credentials, secret, { signal });
  return true;
}

async function deleteAll(
  work: HostContext,
  kind: ResourceKind,
  { namespace, name }: HostLocation,
  signal: AbortSignal,
) {
  const client = work.hostClient.resource(kind);
  const { items } = await client.list({ namespace, labelSelector: releaseSelector(name), signal });
  for (const object of items) {
    await deleteByUid(client, { namespace, name: object.metadata.name ?? '' }, object, { signal });
  }
}

/** True if there is another virtual cluster in the namespace. */
async function hasOtherVirtualCluster(
  { hostClient }: HostContext,
  { namespace, name }: HostLocation,
  signal: AbortSignal,
) {
  const services = hostClient.resource(serviceKind);
  const { items } = await services.list({ namespace, labelSelector: controlPlaneSelector, signal });
  return items.some((object) => summarizeService(object) !== undefined && object.metadata.name !== name);
}

/** True if objects of the virtual cluster are being deleted, or if workloads of this owner still exist. */
async function isStillDeleting(
  work: HostContext,
  location: HostLocation,
  { owner }: RemovalTarget,
  signal: AbortSignal,
): Promise<boolean> {
  const { hostClient, metadataClient } = work;
  const isDeleting = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined;
  const workloads = await workloadsOf(hostClient, location, signal);
  if (workloads.some(({ object }) => isDeleting(object) || ownerOf(object) === owner)) return true;
  const selected = { namespace: location.namespace, labelSelector: releaseSelector(location.name), signal };
  if (workloads.length === 0) {
    // Kubernetes deletes the pods of the workloads by garbage collection, but not the synced pods. So the synced pods
    // are deleted here.
    const { items: pods } = await metadataClient.resource(podKind).list(selected);
    if (pods.length > 0 || (await deleteSyncedPods(hostClient, location, signal)) > 0) return true;
  }
  const { items: claims } = await metadataClient.resource(volumeClaimKind).list(selected);
  return claims.some(isDeleting);
}
