import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import { StatusError } from '../../api/status.ts';
import type { Host, HostedVirtualCluster, Installation } from '../../hosts/host.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { digestOf } from './digest-of.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import type { StatusDraft, Why } from './status-draft.ts';

/**
 * Ensures that the virtual cluster is installed, and returns its observed state; `undefined` if there is none, with the
 * reason in the draft. Only a virtual cluster that was installed for this instance, or imported by it, counts as its
 * own.
 */
export async function installStep(
  host: Host,
  snapshot: InstanceFacts,
  definition: TemplateDefinition | undefined,
  draft: StatusDraft,
  dependencies: InstanceNeeds,
  signal: AbortSignal,
): Promise<HostedVirtualCluster | undefined> {
  const { object, uid, place, cluster, external, importedUid } = snapshot;
  if (external || importedUid !== '') return reportAdopted(snapshot, await host.observe(place, { signal }), draft);
  // A new instance is installed without observing first: the host itself detects an existing one and its owner.
  const installed = object.status?.installHash ?? '';
  const isNew = snapshot.serviceUid === '' && installed === '' && definition !== undefined;
  const observed = isNew ? undefined : await host.observe(place, { signal });
  const installation = definition === undefined ? undefined : installationOf(snapshot, definition);
  const digest = installation && digestOf(installation as JsonValue);
  const isSame = digest === undefined || installed === digest;
  const drift = observed?.drift ?? '';
  if (observed !== undefined && observed.owner === uid && isSame && drift === '')
    return reportDeployed(snapshot, observed, draft);
  if (drift !== '') reportDrift(snapshot, drift, draft, dependencies);
  if (installation === undefined || digest === undefined) {
    if (observed?.owner === uid) return observed;
    const why = { reason: 'TemplateNotResolved', message: 'Waiting for the template, which cannot be rendered.' };
    draft.condition('VirtualClusterDeployed', 'False', why);
    draft.conclude('Pending', why);
    return undefined;
  }
  try {
    await host.install({ place: snapshot.place, owner: uid, ...installation }, { signal });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    reportOccupied(snapshot, error.message, draft, dependencies);
    throw error;
  }
  draft.set('installHash', digest);
  const created = await host.observe(place, { signal });
  if (created === undefined) {
    const why = { reason: 'Starting', message: 'Installed; waiting for the virtual cluster to appear.' };
    draft.condition('VirtualClusterDeployed', 'False', why);
    draft.conclude('Pending', why);
    return undefined;
  }
  if (observed?.uid !== created.uid) {
    const verb = snapshot.serviceUid === '' ? 'Installed' : 'Reinstalled the missing';
    const message = `${verb} virtual cluster "${place.name}" in namespace "${place.namespace}" of cluster "${cluster}".`;
    dependencies.events.record(object, snapshot.serviceUid === '' ? 'Normal' : 'Warning', 'Installed', message);
  }
  return reportDeployed(snapshot, created, draft);
}

/** The installation parameters, except the location and the owner. */
function installationOf(
  { object }: InstanceFacts,
  { metadata, spaceTemplate, helmRelease }: TemplateDefinition,
): Omit<Installation, 'place' | 'owner'> {
  const displayName = object.spec?.displayName ?? '';
  return {
    ...(displayName === '' ? {} : { displayName }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(spaceTemplate === undefined
      ? {}
      : {
          space: {
            ...spaceTemplate.metadata,
            ...(spaceTemplate.objects === undefined ? {} : { objects: spaceTemplate.objects }),
          },
        }),
    ...(helmRelease === undefined ? {} : { helm: helmRelease }),
  };
}

function reportDeployed(
  { place, cluster }: InstanceFacts,
  observed: HostedVirtualCluster,
  draft: StatusDraft,
): HostedVirtualCluster {
  const locationText = `namespace "${place.namespace}" of cluster "${cluster}"`;
  draft.condition('SpaceReady', 'True', { reason: 'Made', message: `The virtual cluster runs in ${locationText}.` });
  const message = `Virtual cluster "${place.name}" is installed in ${locationText}.`;
  draft.condition('VirtualClusterDeployed', 'True', { reason: 'Installed', message });
  draft.set('serviceUID', observed.uid);
  return observed;
}

/** Reports that parts of the installation are missing or changed, before they are repaired. */
function reportDrift(
  { object, cluster }: InstanceFacts,
  drift: string,
  draft: StatusDraft,
  dependencies: InstanceNeeds,
): void {
  const message = `The installation on cluster "${cluster}" has drifted: ${drift}. Reinstalling automatically.`;
  draft.condition('VirtualClusterDeployed', 'False', { reason: 'Drifted', message });
  dependencies.events.record(object, 'Warning', 'Drifted', message);
}

/** Reports that the location is occupied by an object that does not belong to the instance. */
function reportOccupied(
  { object, place, cluster }: InstanceFacts,
  detail: string,
  draft: StatusDraft,
  dependencies: InstanceNeeds,
) {
  const message =
    `Cannot install in namespace "${place.namespace}" of cluster "${cluster}" because it is already in use: ` +
    `${detail}. Remove the conflicting object from the cluster, or create an instance with another name.`;
  const why: Why = { reason: 'PlaceTaken', message };
  draft.condition('SpaceReady', 'False', why);
  draft.condition('VirtualClusterDeployed', 'False', why);
  draft.conclude('Failed', why);
  dependencies.events.record(object, 'Warning', why.reason, why.message);
}

/** Handles external and imported virtual clusters. They are never installed: they exist or they do not. */
function reportAdopted(
  { place, cluster, importedUid, external }: InstanceFacts,
  observed: HostedVirtualCluster | undefined,
  draft: StatusDraft,
): HostedVirtualCluster | undefined {
  const locationText = `in namespace "${place.namespace}" of cluster "${cluster}"`;
  const isExpected = observed !== undefined && (importedUid === '' || observed.uid === importedUid);
  if (isExpected) {
    const how = external ? 'Managed externally' : 'Imported without changes';
    draft.condition('SpaceReady', 'True', { reason: 'Found', message: `The virtual cluster runs ${locationText}.` });
    const message = `${how}: virtual cluster "${place.name}" ${locationText}.`;
    draft.condition('VirtualClusterDeployed', 'True', { reason: external ? 'External' : 'Imported', message });
    draft.set('serviceUID', observed.uid);
    return observed;
  }
  const why =
    observed === undefined
      ? {
          reason: 'NotThere',
          message: `Virtual cluster "${place.name}" no longer exists ${locationText}. Delete the instance.`,
        }
      : {
          reason: 'Replaced',
          message: `Virtual cluster "${place.name}" ${locationText} is not the one that was imported. Delete the instance and import the new virtual cluster.`,
        };
  draft.condition('VirtualClusterDeployed', 'False', why);
  draft.condition('VirtualClusterReady', 'False', why);
  draft.conclude('Failed', why);
  return undefined;
}
