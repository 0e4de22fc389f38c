import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import { StatusError } from '../../api/status.ts';
import type { Host, HostedVirtualCluster, Installation } from '../../hosts/host.ts';
import { textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { digestOf } from './digest-of.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import type { StatusDraft, Why } from './status-draft.ts';

/**
 * Sees to it that the virtual cluster is there, and tells what is. undefined: there is none, and the draft says why. Only
 * what was made for this very instance, or imported by it, is taken for its own.
 */
export async function installStep(
  host: Host,
  facts: InstanceFacts,
  definition: TemplateDefinition | undefined,
  draft: StatusDraft,
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<HostedVirtualCluster | undefined> {
  const { object, uid, place, cluster, external, importedUid } = facts;
  if (external || importedUid !== '') return adopted(facts, await host.observe(place, { signal }), draft);
  // What was never seen is asked for at once: whether it is there already, and whose it is, the host finds by itself.
  const installed = textAt(object, 'status', 'installHash');
  const isNew = facts.serviceUid === '' && installed === '' && definition !== undefined;
  const observed = isNew ? undefined : await host.observe(place, { signal });
  const wanted = definition === undefined ? undefined : installationOf(facts, definition);
  const digest = wanted && digestOf(wanted as JsonValue);
  const isSame = digest === undefined || installed === digest;
  const drift = observed?.drift ?? '';
  if (observed !== undefined && observed.owner === uid && isSame && drift === '')
    return deployed(facts, observed, draft);
  if (drift !== '') drifted(facts, drift, draft, needs);
  if (wanted === undefined || digest === undefined) {
    if (observed?.owner === uid) return observed;
    const why = { reason: 'TemplateNotResolved', message: 'It is installed when its template can be rendered.' };
    draft.condition('VirtualClusterDeployed', 'False', why);
    draft.conclude('Pending', why);
    return undefined;
  }
  try {
    await host.install({ place, owner: uid, ...wanted }, { signal });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    taken(facts, error.message, draft, needs);
    throw error;
  }
  draft.set('installHash', digest);
  const made = await host.observe(place, { signal });
  if (made === undefined) {
    const why = { reason: 'Starting', message: 'It was installed, and its cluster does not show it yet.' };
    draft.condition('VirtualClusterDeployed', 'False', why);
    draft.conclude('Pending', why);
    return undefined;
  }
  if (observed?.uid !== made.uid) {
    const again = facts.serviceUid === '' ? 'Installed' : 'Installed anew, as it was gone:';
    const message = `${again} the virtual cluster ${place.name} in the namespace ${place.namespace} of the cluster ${cluster}.`;
    needs.events.record(object, facts.serviceUid === '' ? 'Normal' : 'Warning', 'Installed', message);
  }
  return deployed(facts, made, draft);
}

/** What the host is asked for, beside the place and the owner. */
function installationOf(
  { object }: InstanceFacts,
  { metadata, spaceTemplate, helmRelease }: TemplateDefinition,
): Omit<Installation, 'place' | 'owner'> {
  const displayName = textAt(object, 'spec', 'displayName');
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

function deployed(
  { place, cluster }: InstanceFacts,
  observed: HostedVirtualCluster,
  draft: StatusDraft,
): HostedVirtualCluster {
  const inSpace = `the namespace ${place.namespace} of the cluster ${cluster}`;
  draft.condition('SpaceReady', 'True', { reason: 'Made', message: `It runs in ${inSpace}.` });
  const message = `The virtual cluster ${place.name} is in ${inSpace}.`;
  draft.condition('VirtualClusterDeployed', 'True', { reason: 'Installed', message });
  draft.set('serviceUID', observed.uid);
  return observed;
}

/** Something of what was installed is not there any more; it is told before it is mended. */
function drifted({ object, cluster }: InstanceFacts, drift: string, draft: StatusDraft, needs: InstanceNeeds): void {
  const message = `On the cluster ${cluster} it is not what was installed: ${drift}. The server installs it again by itself.`;
  draft.condition('VirtualClusterDeployed', 'False', { reason: 'Drifted', message });
  needs.events.record(object, 'Warning', 'Drifted', message);
}

/** Whatever stands in the way of an install is somebody else's. */
function taken({ object, place, cluster }: InstanceFacts, words: string, draft: StatusDraft, needs: InstanceNeeds) {
  const message =
    `It cannot be installed in the namespace ${place.namespace} of the cluster ${cluster}, as something else is there: ` +
    `${words}. Remove that from the cluster, or make an instance with another name.`;
  const why: Why = { reason: 'PlaceTaken', message };
  draft.condition('SpaceReady', 'False', why);
  draft.condition('VirtualClusterDeployed', 'False', why);
  draft.conclude('Failed', why);
  needs.events.record(object, 'Warning', why.reason, why.message);
}

/** What somebody else made is never installed: it is there, or it is not. */
function adopted(
  { place, cluster, importedUid, external }: InstanceFacts,
  observed: HostedVirtualCluster | undefined,
  draft: StatusDraft,
): HostedVirtualCluster | undefined {
  const where = `in the namespace ${place.namespace} of the cluster ${cluster}`;
  const isIt = observed !== undefined && (importedUid === '' || observed.uid === importedUid);
  if (isIt) {
    const how = external ? 'It is managed elsewhere' : 'It was imported as it is';
    draft.condition('SpaceReady', 'True', { reason: 'Found', message: `It runs ${where}.` });
    const message = `${how}: the virtual cluster ${place.name} ${where}.`;
    draft.condition('VirtualClusterDeployed', 'True', { reason: external ? 'External' : 'Imported', message });
    draft.set('serviceUID', observed.uid);
    return observed;
  }
  const why =
    observed === undefined
      ? {
          reason: 'NotThere',
          message: `There is no virtual cluster ${place.name} ${where} any more. Delete the instance.`,
        }
      : {
          reason: 'Replaced',
          message: `Another virtual cluster ${place.name} is ${where} than the one that was imported. Delete the instance, and import the other one.`,
        };
  draft.condition('VirtualClusterDeployed', 'False', why);
  draft.condition('VirtualClusterReady', 'False', why);
  draft.conclude('Failed', why);
  return undefined;
}
