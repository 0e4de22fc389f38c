import type { JsonValue } from '@flotilla/json';
import { defaultHostAccessSettings } from '../../../api/management/host-access/host-access-settings.ts';
import type { TemplateDefinition } from '../../../api/management/v1/template-definition.ts';
import { StatusError } from '../../../api/status.ts';
import { terminalReasons } from '../../../api/terminal-reasons.ts';
import type { HostedVirtualCluster, InstallRequest } from '../../../hosts/host.ts';
import { digestOf } from '../digest-of.ts';
import type { HostStepContext, Installation, InstanceDependencies, StepContext } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { StatusDraft, StatusReason } from '../status-draft.ts';
import { readTemplateObjects } from './read-template-objects.ts';

/**
 * Ensures that the virtual cluster is installed, and returns its observed state. If the virtual cluster cannot be
 * installed yet, writes the reason into the draft and returns `undefined`. A virtual cluster belongs to the instance
 * only if it was installed for the instance, or if the instance imported it.
 */
export async function installStep(
  context: HostStepContext,
  definition: TemplateDefinition | undefined,
): Promise<HostedVirtualCluster | undefined> {
  const { driver, snapshot, draft, dependencies, signal } = context;
  const { object, uid, location, external, importedUid } = snapshot;
  const isImported = importedUid !== '';
  if (external || isImported) {
    const observed = await driver.observe(location, { signal });
    if (observed === undefined && (await reportReplacedCluster(context))) return undefined;
    const found = reportAdopted(context, observed);
    if (found === undefined || !dependencies.contents.installsImported) return found;
  }
  // Install a new instance without observing the location first: the host itself rejects a location that is already in
  // use.
  const installed = object.status?.installHash ?? '';
  const isNew = snapshot.observedUid === '' && installed === '' && definition !== undefined;
  const observed = isNew && !isImported ? undefined : await driver.observe(location, { signal });
  const isSame = definition === undefined || installed === digestOfInstallation(context, definition);
  const drift = observed?.drift ?? '';
  if (observed !== undefined && observed.owner === uid && isSame && drift === '')
    return isImported ? observed : reportDeployed(context, observed);
  if (drift !== '') reportDrift(snapshot, drift, draft, dependencies);
  if (definition === undefined) {
    if (observed?.owner === uid) return observed;
    const why = { reason: 'TemplateNotResolved', message: 'Waiting for the template, which cannot be rendered.' };
    draft.setInstalled('False', why);
    draft.setPhase('Pending', why);
    return undefined;
  }
  if (observed === undefined && (await reportReplacedCluster(context))) return undefined;
  if (reportReadOnly(context)) return observed;
  return await install(context, definition, observed);
}

/**
 * If the cluster was replaced by another cluster, reports that the instance is missing and returns true. The instance
 * must not be installed on the new cluster: the new installation would be empty, although the users of the instance
 * expect their data.
 */
export async function reportReplacedCluster(context: StepContext): Promise<boolean> {
  const { snapshot, draft, dependencies, signal } = context;
  const { object, cluster, observedUid } = snapshot;
  if (observedUid === '') return false;
  const why = await dependencies.replacedCluster?.(cluster, signal);
  if (why === undefined) return false;
  const { reason } = why;
  const message = `It no longer exists on cluster "${cluster}". ${why.message}`;
  draft.setInstalled('False', { reason, message });
  draft.setResponds('False', { reason, message });
  draft.setPhase('Failed', { reason, message });
  if (object.status?.reason !== reason) dependencies.events.record(object, 'Warning', reason, message);
  return true;
}

/** If the agent of the cluster permits only imports, reports that nothing can be installed there and returns true. */
function reportReadOnly({ snapshot, draft, dependencies }: HostStepContext): boolean {
  const { object, cluster, profile } = snapshot;
  if (dependencies.isReadOnly?.(cluster) !== true) return false;
  const reason = 'ClusterReadOnly';
  const message = `The agent of cluster "${cluster}" is read-only, so no ${profile.noun} can be installed or changed there. Restart the agent without --read-only, or create the ${profile.noun} on another cluster.`;
  draft.setInstalled('False', { reason, message });
  draft.setPhase('Pending', { reason, message });
  if (object.status?.reason !== reason) dependencies.events.record(object, 'Warning', reason, message);
  return true;
}

/** Installs or updates an instance, and returns its observed state. */
async function install(
  context: HostStepContext,
  definition: TemplateDefinition,
  before: HostedVirtualCluster | undefined,
): Promise<HostedVirtualCluster | undefined> {
  const { driver, snapshot, draft, dependencies, signal } = context;
  const { object, location, cluster, profile } = snapshot;
  const { request, digest } = await installRequest(context, definition);
  try {
    await driver.install(request, { signal });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    reportOccupied(snapshot, error.message, draft, dependencies);
    throw error;
  }
  draft.set('installHash', digest);
  const created = await driver.observe(location, { signal });
  if (created === undefined) {
    const why = { reason: 'Starting', message: `Installed; waiting for the ${profile.noun} to appear.` };
    draft.setInstalled('False', why);
    draft.setPhase('Pending', why);
    return undefined;
  }
  if (before?.uid !== created.uid) {
    const verb = snapshot.observedUid === '' ? 'Installed' : 'Reinstalled the missing';
    const message = `${verb} ${profile.locate(location, cluster)}.`;
    dependencies.events.record(object, snapshot.observedUid === '' ? 'Normal' : 'Warning', 'Installed', message);
  }
  return snapshot.importedUid === '' ? reportDeployed(context, created) : created;
}

/** A request to install an instance, and the digest of its parameters. */
interface DigestedRequest {
  readonly request: InstallRequest;
  readonly digest: string;
}

/** Returns the digest of the desired installation. */
function digestOfInstallation(context: HostStepContext, definition: TemplateDefinition): string {
  return digestOf(installationOf(context, definition) as JsonValue);
}

function installationOf(
  { driver, snapshot, dependencies }: HostStepContext,
  definition: TemplateDefinition,
): Installation {
  const { cluster, project } = snapshot;
  const isolation = driver.isolatesNamespaces === true ? dependencies.isolationOf?.(cluster, project) : undefined;
  return dependencies.contents.installationOf(snapshot, definition, isolation);
}

/** Returns the request for the desired installation. Rejects with ApplyError if the template's objects cannot be read. */
export async function installRequest(
  context: HostStepContext,
  definition: TemplateDefinition,
): Promise<DigestedRequest> {
  const { snapshot, dependencies } = context;
  const installation = installationOf(context, definition);
  const { space, ...others } = installation;
  const objects = await readTemplateObjects(space?.objects ?? '', snapshot, dependencies);
  const request = { location: snapshot.location, owner: snapshot.uid, ...others };
  const { allowedResources } = dependencies.hostAccess ?? defaultHostAccessSettings;
  const { excludedResources } = dependencies.contents;
  const allowed = allowedResources.filter((name) => !excludedResources.includes(name));
  return {
    request: space === undefined ? request : { ...request, space: { ...space, objects, allowedResources: allowed } },
    digest: digestOf(installation as JsonValue),
  };
}

function reportDeployed(context: HostStepContext, observed: HostedVirtualCluster): HostedVirtualCluster {
  const { snapshot, draft, dependencies } = context;
  const { location, cluster, profile } = snapshot;
  draft.setCondition('SpaceReady', 'True', { reason: 'Created', message: profile.inSpace(location, cluster) });
  if (profile.installedCondition !== 'SpaceReady') {
    const message = `${capitalized(profile.describe(location))} is installed in ${locationText(snapshot)}.`;
    draft.setInstalled('True', { reason: 'Installed', message });
  }
  dependencies.contents.recordObserved(context, observed);
  return observed;
}

function locationText({ location, cluster }: InstanceSnapshot): string {
  return `namespace "${location.namespace}" of cluster "${cluster}"`;
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/**
 * Reports that parts of the installation are missing or changed. After this call, the caller repeats the installation.
 */
function reportDrift(
  { object, cluster }: InstanceSnapshot,
  drift: string,
  draft: StatusDraft,
  dependencies: InstanceDependencies,
): void {
  const message = `The installation on cluster "${cluster}" has drifted: ${drift}. Reinstalling automatically.`;
  draft.setInstalled('False', { reason: 'Drifted', message });
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
  const why: StatusReason = { reason: terminalReasons.placeTaken, message };
  draft.setCondition('SpaceReady', 'False', why);
  draft.setInstalled('False', why);
  draft.setPhase('Failed', why);
  dependencies.events.record(object, 'Warning', why.reason, why.message);
}

/** Reports the state of an imported or external virtual cluster. */
function reportAdopted(
  context: HostStepContext,
  observed: HostedVirtualCluster | undefined,
): HostedVirtualCluster | undefined {
  const { snapshot, draft, dependencies } = context;
  const { location, cluster, importedUid, external, profile } = snapshot;
  const isExpected = observed !== undefined && (importedUid === '' || observed.uid === importedUid);
  const what = profile.locate(location, cluster);
  if (isExpected) {
    draft.setCondition('SpaceReady', 'True', { reason: 'Found', message: profile.inSpace(location, cluster) });
    const how = external ? 'Managed externally' : 'Imported without changes';
    if (profile.installedCondition !== 'SpaceReady')
      draft.setInstalled('True', { reason: external ? 'External' : 'Imported', message: `${how}: ${what}.` });
    dependencies.contents.recordObserved(context, observed);
    return observed;
  }
  const why =
    observed === undefined
      ? { reason: 'NotFound', message: `${capitalized(what)} no longer exists. Delete the instance.` }
      : {
          reason: 'Replaced',
          message: `${capitalized(what)} is not the one that was imported. Delete the instance and import the new ${profile.noun}.`,
        };
  draft.setInstalled('False', why);
  draft.setResponds('False', why);
  draft.setPhase('Failed', why);
  return undefined;
}
