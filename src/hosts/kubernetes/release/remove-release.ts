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

export interface Removal {
  readonly owner: string;
  readonly uid?: string;
}

/**
 * Returns true once nothing is left on the host, and false while the removal continues: call again. Throws 503 if
 * something blocks it.
 */
export async function removeRelease(
  work: HostContext,
  place: HostLocation,
  of: Removal,
  signal: AbortSignal,
): Promise<boolean> {
  const { hostClient, cache } = work;
  const service = await findObject(hostClient.resource(serviceKind), place, { signal });
  const record = await latestReleaseRecord(work, place, signal);
  if (service !== undefined && !isTarget(service, record, of)) return true;
  const hadObjects = await deleteObjects(work, place, { service, record, of }, signal);

  const namespaces = hostClient.resource(namespaceKind);
  const namespace = await findObject(namespaces, { name: place.namespace }, { signal });
  const isOurs = namespace !== undefined && ownerOf(namespace) === of.owner;
  const isKept = namespace?.metadata.annotations?.[keepNamespaceAnnotation] === 'true';
  if (isOurs && !isKept && !(await hasOtherVirtualCluster(work, place, signal))) {
    // Deletes everything that is left in the namespace.
    await deleteByUid(namespaces, { name: place.namespace }, namespace, { signal });
    const stuck = stuckNamespace(namespace, work.clock.now());
    if (stuck !== '') throw serviceUnavailable(`the namespace ${place.namespace} is still being deleted: ${stuck}`);
    return false;
  }
  if (namespace !== undefined) {
    if (hadObjects || (await isStillDeleting(work, place, of, signal))) return false;
    if (isOurs && isKept) {
      // The namespace now belongs to the user who keeps it.
      const labels = { [hostOwnerLabel]: null };
      await namespaces.patch({ name: place.namespace }, { metadata: { labels } }, { signal });
    }
  }
  const uid = of.uid ?? service?.metadata.uid;
  await cache.waitUntil(
    place,
    ({ service: known }) => known === undefined || (uid !== undefined && known.uid !== uid),
    signal,
  );
  return true;
}

/** Without a uid: a virtual cluster of this owner, or a manually created one. Never one of another owner. */
function isTarget(service: KubeObject, record: ReleaseRecordSummary | undefined, { owner, uid }: Removal): boolean {
  if (uid !== undefined) return service.metadata.uid === uid;
  return [owner, ''].includes(ownerOf(service) || (record?.owner ?? ''));
}

interface ExistingObjects {
  /** The service of the virtual cluster to remove. */
  readonly service: KubeObject | undefined;
  readonly record: ReleaseRecordSummary | undefined;
  readonly of: Removal;
}

/** Returns false if there was nothing to delete. */
async function deleteObjects(
  work: HostContext,
  place: HostLocation,
  { service, record, of }: ExistingObjects,
  signal: AbortSignal,
): Promise<boolean> {
  const { hostClient, helm } = work;
  if (service !== undefined) {
    // The volume claims are deleted before the release. If the server stops in between, the service still exists, and
    // its existence causes a retry of the removal.
    await deleteAll(work, volumeClaimKind, place, signal);
  }
  const isOurs = record !== undefined && (record.owner === of.owner || record.status === 'uninstalling');
  if (record !== undefined && (service !== undefined || isOurs)) {
    await helm.uninstall(place, signal);
  } else {
    // Installed without Helm, or its record is missing.
    const workloads = await workloadsOf(hostClient, place, signal);
    const targets = workloads.filter(({ object }) => service !== undefined || ownerOf(object) === of.owner);
    for (const { client, object } of targets) {
      await deleteByUid(client, { namespace: place.namespace, name: object.metadata.name ?? '' }, object, { signal });
    }
    if (service !== undefined) await deleteByUid(hostClient.resource(serviceKind), place, service, { signal });
    if (service === undefined && targets.length === 0) return false;
  }
  const secrets = hostClient.resource(secretKind);
  const credentials = { namespace: place.namespace, name: credentialsSecret(place.name) };
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

/** True if another virtual cluster runs in the namespace. */
async function hasOtherVirtualCluster(
  { hostClient }: HostContext,
  { namespace, name }: HostLocation,
  signal: AbortSignal,
) {
  const services = hostClient.resource(serviceKind);
  const { items } = await services.list({ namespace, labelSelector: controlPlaneSelector, signal });
  return items.some((object) => summarizeService(object) !== undefined && object.metadata.name !== name);
}

/** True if objects are still being deleted. Objects that are neither being deleted nor this owner's do not count. */
async function isStillDeleting(
  work: HostContext,
  place: HostLocation,
  { owner }: Removal,
  signal: AbortSignal,
): Promise<boolean> {
  const { hostClient, metadataClient } = work;
  const isDeleting = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined;
  const workloads = await workloadsOf(hostClient, place, signal);
  if (workloads.some(({ object }) => isDeleting(object) || ownerOf(object) === owner)) return true;
  const selected = { namespace: place.namespace, labelSelector: releaseSelector(place.name), signal };
  if (workloads.length === 0) {
    // Its pods wait for the cluster's garbage collection; the synced pods would wait forever, so they are deleted here.
    const { items: pods } = await metadataClient.resource(podKind).list(selected);
    if (pods.length > 0 || (await deleteSyncedPods(hostClient, place, signal)) > 0) return true;
  }
  const { items: claims } = await metadataClient.resource(volumeClaimKind).list(selected);
  return claims.some(isDeleting);
}
