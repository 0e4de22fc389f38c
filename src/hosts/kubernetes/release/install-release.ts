import { hash } from 'node:crypto';
import { namespaceKind } from '../../../api/core/namespace.ts';
import { secretKind } from '../../../api/core/secret.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { displayNameAnnotation, hostOwnerLabel, installDigestLabel } from '../../../api/naming.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { conflict, serviceUnavailable } from '../../../api/status.ts';
import type { HostLocation, InstallRequest } from '../../host.ts';
import { InstallError } from '../../install-error.ts';
import { addLabelsAndAnnotations, deleteByUid, ensureOwnedObject, findObject, ownerOf } from '../../owned-object.ts';
import { serviceKind } from '../host-kinds.ts';
import { isolateNamespace, namespaceMetadata } from '../isolation/isolate-namespace.ts';
import { applyTemplateObjects } from '../isolation/template-objects.ts';
import { type ReleaseRecordSummary, summarizeService, summarizeWorkload } from '../observe/object-summaries.ts';
import { controlPlaneApp } from './chart-labels.ts';
import { chartOf } from './helm-charts.ts';
import { type HostContext, latestReleaseRecord } from './host-context.ts';
import { scaleDown, workloadsOf } from './scale-workloads.ts';

/** Installs a virtual cluster as a Helm release, or updates it. Skips steps that are already done. */
export async function installRelease(work: HostContext, wanted: InstallRequest, signal: AbortSignal): Promise<void> {
  const { hostClient, cache, helm } = work;
  const { location, owner, displayName, metadata = {}, helm: release = {} } = wanted;
  const call = { signal };
  const chart = chartOf(release.chart, work.settings);
  const namespaces = hostClient.resource(namespaceKind);
  await ensureOwnedObject(
    namespaces,
    {
      kind: namespaceKind,
      key: { name: location.namespace },
      owner,
      spec: undefined,
      metadata: namespaceMetadata(wanted),
    },
    call,
  );
  await isolateNamespace(work, wanted, signal);
  await applyTemplateObjects(work, wanted, signal);
  const values = release.values ?? '';
  const digest = hash('sha256', JSON.stringify([chart, values]), 'hex').slice(0, 32);
  const services = hostClient.resource(serviceKind);
  const record = await latestReleaseRecord(work, location, signal);
  const before = await findObject(services, location, call);
  const workloads = await workloadsOf(hostClient, location, signal);
  await prepareInstall(work, wanted, { record, service: before }, signal);
  const controlPlane = workloads
    .flatMap(({ object }) => summarizeWorkload(object) ?? [])
    .filter((each) => each.isControlPlane);
  const isInstalled =
    record?.status === 'deployed' && record.digest === digest && before !== undefined && controlPlane.length > 0;
  if (!isInstalled) {
    await helm.install(
      { location: location, chart, values, labels: { [hostOwnerLabel]: owner, [installDigestLabel]: digest } },
      signal,
    );
    // Helm has started the control plane, because the chart does not know about sleep. Put it back to sleep.
    // A control plane without a persistent volume lost its data when it first went to sleep, so nothing more is lost.
    if (controlPlane.some(({ replicas }) => replicas === 0)) {
      const options = { signal, clock: work.clock, isWanted: async () => true, acceptsDataLoss: true };
      await scaleDown(hostClient, location, options);
    }
  }
  const service = await findObject(services, location, call);
  if (
    service === undefined ||
    summarizeService(service) === undefined ||
    service.metadata.labels?.app !== controlPlaneApp
  ) {
    throw new InstallError('InstallFailed', missingServiceMessage(location));
  }
  const labels = { ...metadata.labels, [hostOwnerLabel]: owner };
  const annotations = {
    ...metadata.annotations,
    ...(displayName === undefined ? {} : { [displayNameAnnotation]: displayName }),
  };
  await addLabelsAndAnnotations(services, service, { labels, annotations }, call);
  for (const { client, object } of await workloadsOf(hostClient, location, signal)) {
    await addLabelsAndAnnotations(client, object, { labels, annotations }, call);
  }
  await cache.waitUntil(
    location,
    (snapshot) =>
      snapshot.service?.uid === service.metadata.uid &&
      snapshot.service?.owner === owner &&
      snapshot.record?.digest === digest &&
      snapshot.record.status === 'deployed' &&
      snapshot.workloads.some(({ isControlPlane }) => isControlPlane),
    signal,
  );
}

interface ExistingObjects {
  readonly record: ReleaseRecordSummary | undefined;
  readonly service: KubeObject | undefined;
}

/** Throws 409 if an object of another owner already exists. Cleans up after a helm execution that did not finish. */
async function prepareInstall(
  work: HostContext,
  { location, owner }: InstallRequest,
  { record, service }: ExistingObjects,
  signal: AbortSignal,
): Promise<void> {
  if (service !== undefined && ![owner, ''].includes(ownerOf(service))) {
    throw conflict(
      groupResourceOf(serviceKind),
      location.name,
      'the object already exists and belongs to another owner',
    );
  }
  if (record === undefined) return;
  if (record.owner !== owner) {
    const resource = { group: '', resource: 'releases' };
    throw conflict(resource, location.name, 'the Helm release already exists and belongs to another owner');
  }
  if (service?.metadata.deletionTimestamp !== undefined) {
    throw serviceUnavailable(`the previous release ${location.name} is still being deleted`);
  }
  const isRemoval = record.status === 'uninstalling';
  if (!isRemoval && !record.status.startsWith('pending-')) return;
  // Only this server changes its releases. But a helm process of a server that was killed may still be running, so wait
  // until it must have reached its timeout.
  const { clock, openedAt } = work;
  const timeoutMs = work.settings.timeoutSeconds * 1_000;
  if (clock.elapsed() - openedAt < timeoutMs && clock.now() - record.createdAt < timeoutMs) {
    throw serviceUnavailable(`a previous helm process for the release ${location.name} may still be running`);
  }
  if (isRemoval) return await work.helm.uninstall(location, signal);
  const records = work.hostClient.resource(secretKind);
  const object = { metadata: { name: record.name, uid: record.uid } } as KubeObject;
  await deleteByUid(records, { namespace: location.namespace, name: record.name }, object, { signal });
}

function missingServiceMessage({ namespace, name }: HostLocation): string {
  return (
    `the chart did not create the service ${name} in the namespace ${namespace} with the labels of vCluster ` +
    '(app=vcluster and release): it is a different chart, or its values disable the service'
  );
}
