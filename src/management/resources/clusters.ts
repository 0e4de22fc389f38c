import { type FieldError, forbiddenField, invalid, required } from '../../api/field-error.ts';
import { type Kubeconfig, readKubeconfig } from '../../api/kubeconfig.ts';
import { type Cluster, clusterKind } from '../../api/management/v1/cluster.ts';
import { builtInClusterName, cleanupFinalizer } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict } from '../../api/status.ts';
import { textAt } from '../../lib/json-path.ts';
import type { RequestContext } from '../../registry/context.ts';
import { defineResource, type StoredRecord, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ClusterDraft } from '../drafts.ts';
import { checkFieldPermissions } from '../field-permissions.ts';
import { identifyCluster } from '../identify-cluster.ts';
import { redactLastApplied } from '../redact-last-applied.ts';
import { ownerErrors } from '../rules/owner-errors.ts';
import { writableSpec } from '../writable-spec.ts';

/** The sealed kubeconfig in the hidden part, and its seal purpose. */
export const hiddenKubeconfig = 'kubeconfig';
export const kubeconfigPurpose = 'cluster-kubeconfig';
/** The unique ID of the connected cluster in the hidden part, once it is known. */
const hiddenUid = 'clusterUID';

/** Their paths below `/cluster/` would be ambiguous with those of a cluster without a name in the path. */
const reservedNames = ['api', 'apis'];

const secretPaths = [['spec', 'kubeconfig']];

export function clusters(
  dependencies: Pick<ManagementDependencies, 'sealer' | 'state' | 'clock' | 'connect'>,
): StoredResource {
  const { sealer, state, clock, connect } = dependencies;
  const faults = new WeakMap<ClusterDraft, FieldError>();
  /** Kubeconfigs that agents announce are written by the server itself and are not listed here. */
  const sentByClient = new WeakSet<ClusterDraft>();

  /** Removes the kubeconfig from the object and stores it sealed. */
  async function takeKubeconfig(draft: ClusterDraft, context: RequestContext): Promise<void> {
    const spec = writableSpec(draft.object);
    const { kubeconfig: sent = '' } = spec;
    delete spec.kubeconfig;
    redactLastApplied(draft.object, secretPaths);
    if (sent === '') {
      // The connection type changed, so the credentials are obsolete. A kubeconfig that an agent announced stays.
      const wasPeer = draft.old?.object.spec?.networkPeer ?? false;
      if (spec.local === true || (spec.networkPeer ?? false) !== wasPeer) {
        delete draft.hidden[hiddenKubeconfig];
        delete draft.hidden[hiddenUid];
      }
      return;
    }
    if (!context.system) sentByClient.add(draft);
    const reject = (fault: string) =>
      faults.set(draft, { type: 'FieldValueInvalid', field: 'spec.kubeconfig', message: `Invalid value: ${fault}` });
    const { kubeconfig, fault } = readKubeconfig(sent);
    if (kubeconfig === undefined) return void reject(fault);
    const sealed = textAt(draft.hidden, hiddenKubeconfig);
    if (sealed !== '' && sealer.open(kubeconfigPurpose, sealed) === sent) return;
    const unusable = await identify(kubeconfig, draft, context);
    if (unusable !== undefined) return void reject(unusable);
    draft.hidden[hiddenKubeconfig] = sealer.seal(kubeconfigPurpose, sent);
  }

  /** Records the identity of the cluster. Returns the error in the kubeconfig, `undefined` if there is none. */
  async function identify(
    kubeconfig: Kubeconfig,
    draft: ClusterDraft,
    context: RequestContext,
  ): Promise<string | undefined> {
    if (kubeconfig.insecureSkipTlsVerify === true || kubeconfig.server.startsWith('http:')) {
      context.warn(
        'spec.kubeconfig: the server is not verified; anyone who can intercept the connection gets the credentials',
      );
    }
    if (connect === undefined) return undefined;
    const { uid, unreachableReason, kubeconfigError } = await identifyCluster(kubeconfig, {
      connect,
      clock,
      signal: context.signal,
    });
    if (kubeconfigError !== undefined) return kubeconfigError;
    const known = textAt(draft.old?.hidden, hiddenUid);
    const isInUse = known !== '' && state.instancesOn(draft.object.metadata.name ?? '') > 0;
    if (isInUse && uid !== '' && uid !== known) {
      return 'refers to another cluster than the one that virtual cluster instances run on; connect it under another name';
    }
    if (unreachableReason !== undefined && isInUse && !context.system) {
      return `cannot be verified now: ${unreachableReason}. Virtual cluster instances run on the cluster, so it must not be replaced by another one; try again when it is reachable`;
    }
    if (unreachableReason !== undefined) context.warn(`the cluster cannot be reached now: ${unreachableReason}`);
    // If the identity is not known now, the previous one stays until the cluster reports its own.
    if (uid !== '') draft.hidden[hiddenUid] = uid;
    return undefined;
  }

  function errors(draft: ClusterDraft): FieldError[] {
    const { object, old } = draft;
    const name = object.metadata.name ?? '';
    const found = ownerErrors(object.spec?.owner, 'spec.owner');
    const fault = faults.get(draft);
    if (fault !== undefined) found.push(fault);
    if (reservedNames.includes(name)) found.push(invalid('metadata.name', name, 'this name is reserved'));
    const { local: isLocal = false, networkPeer: isPeer = false } = object.spec ?? {};
    if (isLocal && name !== builtInClusterName) {
      found.push(forbiddenField('spec.local', `the built-in cluster is ${builtInClusterName}; there is no other`));
    }
    if (old !== undefined && isLocal !== (old.object.spec?.local ?? false)) {
      found.push(invalid('spec.local', isLocal, 'field is immutable'));
    }
    const hasKubeconfig = textAt(draft.hidden, hiddenKubeconfig) !== '' || fault !== undefined;
    const connectionTypes = [isLocal, isPeer, hasKubeconfig && (!isPeer || sentByClient.has(draft))].filter(
      (isSet) => isSet,
    ).length;
    if (connectionTypes > 1) {
      found.push(forbiddenField('spec', 'only one of local, networkPeer and kubeconfig may be set'));
    } else if (connectionTypes === 0) {
      found.push(required('spec.kubeconfig', 'set a kubeconfig, or networkPeer for a cluster with an agent'));
    }
    return found;
  }

  return defineResource({
    ...clusterKind,
    hasStatus: true,
    gracePeriods: true,
    writeOnlyFields: secretPaths,
    async prepare(draft, context) {
      await checkFieldPermissions(clusterKind, draft, context);
      keepFinalizer(draft, context);
      await takeKubeconfig(draft, context);
    },
    validate: errors,
    prepareStatus(draft) {
      const uid = draft.object.status?.clusterUID ?? '';
      if (uid !== '') draft.hidden[hiddenUid] = uid;
    },
    claims,
    claimTaken: (_claim, holder, { object }) =>
      conflict(
        groupResourceOf(clusterKind),
        object.metadata.name ?? '',
        `it is the same cluster as ${JSON.stringify(holder)}, which is already connected`,
      ),
    prepareDelete(object) {
      if (state.instancesOn(object.metadata.name ?? '') > 0) addFinalizer(object);
    },
  });
}

/** One physical cluster is connected once: two objects would place, count and remove independently of each other. */
function claims({ hidden }: Pick<StoredRecord, 'hidden'>): readonly string[] {
  const uid = textAt(hidden, hiddenUid);
  return uid === '' ? [] : [uid];
}

/** A cluster with instances is deleted after them, since they cannot be removed without it. */
function addFinalizer(object: Cluster): void {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(cleanupFinalizer)) object.metadata.finalizers = [...finalizers, cleanupFinalizer];
}

/** Only the server removes the finalizer. */
function keepFinalizer({ object, old }: ClusterDraft, { system }: RequestContext): void {
  const { deletionTimestamp, finalizers = [] } = old?.object.metadata ?? {};
  if (!system && deletionTimestamp !== undefined && finalizers.includes(cleanupFinalizer)) addFinalizer(object);
}
