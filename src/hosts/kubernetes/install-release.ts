import { hash } from 'node:crypto';
import { namespaceKind } from '../../api/core/namespace.ts';
import { secretKind } from '../../api/core/secret.ts';
import type { KubeObject } from '../../api/meta.ts';
import { displayNameAnnotation, hostDigestLabel, hostOwnerLabel } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict, serviceUnavailable } from '../../api/status.ts';
import { applyObjects } from '../apply-objects.ts';
import type { HostPlace, Installation } from '../host.ts';
import { InstallError } from '../install-error.ts';
import { decorate, deleteOnce, findObject, makeOwned, ownerOf } from '../owned-object.ts';
import { virtualClient } from '../virtual-client.ts';
import { controlPlaneApp } from './chart-labels.ts';
import { chartOf } from './helm-charts.ts';
import { type RecordFact, serviceFact, workloadFact } from './host-facts.ts';
import { serviceKind } from './host-kinds.ts';
import { type HostWork, recordOf } from './host-work.ts';
import { scaleDown, workloadsOf } from './scale-workloads.ts';

/** Installs the release or updates it to the requested state. Steps that are already done are skipped. */
export async function installRelease(work: HostWork, wanted: Installation, signal: AbortSignal): Promise<void> {
  const { hostClient, copies, helm } = work;
  const { place, owner, displayName, metadata = {}, space = {}, helm: release = {} } = wanted;
  const call = { signal };
  const chart = chartOf(release.chart, work.settings);
  const namespaces = hostClient.resource(namespaceKind);
  await makeOwned(
    namespaces,
    { kind: namespaceKind, place: { name: place.namespace }, owner, spec: undefined, decoration: space },
    call,
  );
  if (space.objects !== undefined && space.objects.trim() !== '') {
    await applyObjects(space.objects, virtualClient(work.ownApi, signal), place.namespace);
  }
  const values = release.values ?? '';
  const digest = hash('sha256', JSON.stringify([chart, values]), 'hex').slice(0, 32);
  const services = hostClient.resource(serviceKind);
  const record = await recordOf(work, place, signal);
  const before = await findObject(services, place, call);
  const workloads = await workloadsOf(hostClient, place, signal);
  await prepareInstall(work, wanted, { record, service: before }, signal);
  const controlPlane = workloads
    .flatMap(({ object }) => workloadFact(object) ?? [])
    .filter((each) => each.isControlPlane);
  const isInstalled =
    record?.status === 'deployed' && record.digest === digest && before !== undefined && controlPlane.length > 0;
  if (!isInstalled) {
    await helm.install(
      { place, chart, values, labels: { [hostOwnerLabel]: owner, [hostDigestLabel]: digest } },
      signal,
    );
    // The chart does not know about sleep and would start the control plane.
    if (controlPlane.some(({ replicas }) => replicas === 0)) await scaleDown(hostClient, place, signal);
  }
  const service = await findObject(services, place, call);
  if (service === undefined || serviceFact(service) === undefined || service.metadata.labels?.app !== controlPlaneApp) {
    throw new InstallError('InstallFailed', missingServiceMessage(place));
  }
  const labels = { ...metadata.labels, [hostOwnerLabel]: owner };
  const annotations = {
    ...metadata.annotations,
    ...(displayName === undefined ? {} : { [displayNameAnnotation]: displayName }),
  };
  await decorate(services, service, { labels, annotations }, call);
  for (const { client, object } of await workloadsOf(hostClient, place, signal)) {
    await decorate(client, object, { labels, annotations }, call);
  }
  await copies.until(
    place,
    (facts) =>
      facts.service?.uid === service.metadata.uid &&
      facts.service?.owner === owner &&
      facts.record?.digest === digest &&
      facts.record.status === 'deployed' &&
      facts.workloads.some(({ isControlPlane }) => isControlPlane),
    signal,
  );
}

interface ExistingObjects {
  readonly record: RecordFact | undefined;
  readonly service: KubeObject | undefined;
}

/** Throws 409 if another owner's objects are in the way, and cleans up after an unfinished run of helm. */
async function prepareInstall(
  work: HostWork,
  { place, owner }: Installation,
  { record, service }: ExistingObjects,
  signal: AbortSignal,
): Promise<void> {
  if (service !== undefined && ![owner, ''].includes(ownerOf(service))) {
    throw conflict(groupResourceOf(serviceKind), place.name, 'it already exists and belongs to another owner');
  }
  if (record === undefined) return;
  if (record.owner !== owner) {
    const resource = { group: '', resource: 'releases' };
    throw conflict(resource, place.name, 'it already exists and belongs to another owner');
  }
  if (service?.metadata.deletionTimestamp !== undefined) {
    throw serviceUnavailable(`the previous release ${place.name} is still being deleted`);
  }
  const isRemoval = record.status === 'uninstalling';
  if (!isRemoval && !record.status.startsWith('pending-')) return;
  // Only this server changes its releases, but a helm process that outlived a previous server may still be running.
  const { clock, opened } = work;
  const timeoutMs = work.settings.timeoutSeconds * 1_000;
  if (clock.elapsed() - opened < timeoutMs && clock.now() - record.made < timeoutMs) {
    throw serviceUnavailable(`a previous run of helm for the release ${place.name} may still be in progress`);
  }
  if (isRemoval) return await work.helm.uninstall(place, signal);
  const records = work.hostClient.resource(secretKind);
  const object = { metadata: { name: record.name, uid: record.uid } } as KubeObject;
  await deleteOnce(records, { namespace: place.namespace, name: record.name }, object, { signal });
}

function missingServiceMessage({ namespace, name }: HostPlace): string {
  return (
    `the chart did not create the service ${name} in the namespace ${namespace} with the labels of vCluster ` +
    '(app=vcluster and release): it is a different chart, or its values disable the service'
  );
}
