import type { JsonValue } from '@flotilla/json';
import type { TemplateDefinition } from '../../../api/management/v1/template-definition.ts';
import { StatusError } from '../../../api/status.ts';
import type { HostedVirtualCluster, InstallRequest, LabelsAndAnnotations } from '../../../hosts/host.ts';
import { digestOf } from '../digest-of.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { StatusDraft, StatusReason } from '../status-draft.ts';
import { readTemplateObjects } from './read-template-objects.ts';
import type { HostStepContext } from './step-context.ts';

/**
 * Ensures that the virtual cluster is installed, and returns its observed state. If there is no virtual cluster yet,
 * writes the reason into the draft and returns `undefined`. A virtual cluster belongs to the instance only if it was
 * installed for the instance or imported by it.
 */
export async function installStep(
  { host, snapshot, draft, dependencies, signal }: HostStepContext,
  definition: TemplateDefinition | undefined,
): Promise<HostedVirtualCluster | undefined> {
  const { object, uid, location, cluster, external, importedUid } = snapshot;
  if (external || importedUid !== '') return reportAdopted(snapshot, await host.observe(location, { signal }), draft);
  // A new instance is installed without observing first: the host itself rejects a location that is already in use.
  const installed = object.status?.installHash ?? '';
  const isNew = snapshot.observedUid === '' && installed === '' && definition !== undefined;
  const observed = isNew ? undefined : await host.observe(location, { signal });
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
    draft.setCondition('VirtualClusterDeployed', 'False', why);
    draft.setPhase('Pending', why);
    return undefined;
  }
  try {
    const { space, ...others } = installation;
    const objects = await readTemplateObjects(space?.objects ?? '', dependencies);
    const request = { location: snapshot.location, owner: uid, ...others };
    await host.install(space === undefined ? request : { ...request, space: { ...space, objects } }, { signal });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    reportOccupied(snapshot, error.message, draft, dependencies);
    throw error;
  }
  draft.set('installHash', digest);
  const created = await host.observe(location, { signal });
  if (created === undefined) {
    const why = { reason: 'Starting', message: 'Installed; waiting for the virtual cluster to appear.' };
    draft.setCondition('VirtualClusterDeployed', 'False', why);
    draft.setPhase('Pending', why);
    return undefined;
  }
  if (observed?.uid !== created.uid) {
    const verb = snapshot.observedUid === '' ? 'Installed' : 'Reinstalled the missing';
    const message = `${verb} virtual cluster "${location.name}" in namespace "${location.namespace}" of cluster "${cluster}".`;
    dependencies.events.record(object, snapshot.observedUid === '' ? 'Normal' : 'Warning', 'Installed', message);
  }
  return reportDeployed(snapshot, created, draft);
}

/** The parameters of an installation, without its location and owner. */
interface Installation extends Omit<InstallRequest, 'location' | 'owner' | 'space'> {
  /** The objects are YAML documents. */
  readonly space?: LabelsAndAnnotations & { readonly objects?: string };
}

function installationOf(
  { object }: InstanceSnapshot,
  { metadata, spaceTemplate, helmRelease, api }: TemplateDefinition,
): Installation {
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
    ...(api === undefined ? {} : { api }),
  };
}

function reportDeployed(
  { location, cluster }: InstanceSnapshot,
  observed: HostedVirtualCluster,
  draft: StatusDraft,
): HostedVirtualCluster {
  const locationText = `namespace "${location.namespace}" of cluster "${cluster}"`;
  draft.setCondition('SpaceReady', 'True', { reason: 'Made', message: `The virtual cluster runs in ${locationText}.` });
  const message = `Virtual cluster "${location.name}" is installed in ${locationText}.`;
  draft.setCondition('VirtualClusterDeployed', 'True', { reason: 'Installed', message });
  draft.set('serviceUID', observed.uid);
  return observed;
}

/** Reports that parts of the installation are missing or changed. The reinstallation follows. */
function reportDrift(
  { object, cluster }: InstanceSnapshot,
  drift: string,
  draft: StatusDraft,
  dependencies: InstanceDependencies,
): void {
  const message = `The installation on cluster "${cluster}" has drifted: ${drift}. Reinstalling automatically.`;
  draft.setCondition('VirtualClusterDeployed', 'False', { reason: 'Drifted', message });
  dependencies.events.record(object, 'Warning', 'Drifted', message);
}

/** Reports that the location is occupied by an object that does not belong to the instance. */
function reportOccupied(
  { object, location, cluster }: InstanceSnapshot,
  detail: string,
  draft: StatusDraft,
  dependencies: InstanceDependencies,
) {
  const message =
    `Cannot install in namespace "${location.namespace}" of cluster "${cluster}" because it is already in use: ` +
    `${detail}. Remove the conflicting object from the cluster, or create an instance with another name.`;
  const why: StatusReason = { reason: 'PlaceTaken', message };
  draft.setCondition('SpaceReady', 'False', why);
  draft.setCondition('VirtualClusterDeployed', 'False', why);
  draft.setPhase('Failed', why);
  dependencies.events.record(object, 'Warning', why.reason, why.message);
}

/** Reports the state of an external or imported virtual cluster. The server never installs such a virtual cluster. */
function reportAdopted(
  { location, cluster, importedUid, external }: InstanceSnapshot,
  observed: HostedVirtualCluster | undefined,
  draft: StatusDraft,
): HostedVirtualCluster | undefined {
  const locationText = `in namespace "${location.namespace}" of cluster "${cluster}"`;
  const isExpected = observed !== undefined && (importedUid === '' || observed.uid === importedUid);
  if (isExpected) {
    const how = external ? 'Managed externally' : 'Imported without changes';
    draft.setCondition('SpaceReady', 'True', { reason: 'Found', message: `The virtual cluster runs ${locationText}.` });
    const message = `${how}: virtual cluster "${location.name}" ${locationText}.`;
    draft.setCondition('VirtualClusterDeployed', 'True', { reason: external ? 'External' : 'Imported', message });
    draft.set('serviceUID', observed.uid);
    return observed;
  }
  const why =
    observed === undefined
      ? {
          reason: 'NotThere',
          message: `Virtual cluster "${location.name}" no longer exists ${locationText}. Delete the instance.`,
        }
      : {
          reason: 'Replaced',
          message: `Virtual cluster "${location.name}" ${locationText} is not the one that was imported. Delete the instance and import the new virtual cluster.`,
        };
  draft.setCondition('VirtualClusterDeployed', 'False', why);
  draft.setCondition('VirtualClusterReady', 'False', why);
  draft.setPhase('Failed', why);
  return undefined;
}
