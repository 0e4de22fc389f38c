import { type FieldError, forbiddenField, invalid, required } from '../../api/field-error.ts';
import { hostIsolationErrors } from '../../api/management/host-isolation/host-isolation.ts';
import { initialStatus } from '../../api/management/initial-status.ts';
import { type Cluster, clusterConditionTypes, clusterKind } from '../../api/management/v1/cluster.ts';
import { builtInClusterName, cleanupFinalizer } from '../../api/naming.ts';
import { type FieldsOf, groupResourceOf } from '../../api/resource.ts';
import { conflict } from '../../api/status.ts';
import type { RequestContext } from '../../registry/context.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ClusterDraft } from '../drafts.ts';
import { checkFieldPermissions } from '../field-permissions.ts';
import { ownerErrors } from '../rules/owner-errors.ts';
import { type ClusterHidden, hiddenClusterUid, hiddenKubeconfig } from './cluster-hidden.ts';
import { ClusterKubeconfigs, clusterSecretPaths } from './cluster-kubeconfig.ts';

/**
 * Names that clusters must not have, because an agent serves its own cluster also at `/cluster/api/…`, without the name
 * of the cluster.
 */
const reservedNames = ['api', 'apis'];

export function clusterResource(
  dependencies: Pick<ManagementDependencies, 'sealer' | 'state' | 'clock' | 'connect'>,
): StoredResource {
  const { state } = dependencies;
  const kubeconfigs = new ClusterKubeconfigs(dependencies);
  return defineResource<FieldsOf<typeof clusterKind>, ClusterHidden>({
    ...clusterKind,
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    writeOnlyFields: clusterSecretPaths,
    async prepare(draft, context) {
      await checkFieldPermissions(clusterKind, draft, context);
      keepFinalizer(draft, context);
      await kubeconfigs.take(draft, context);
      // No controller probes the built-in cluster. The server writes its status at each start.
      if (draft.old === undefined && draft.object.spec?.local !== true)
        draft.object.status = initialStatus(clusterConditionTypes, draft.object);
    },
    validate: (draft) => clusterErrors(draft, kubeconfigs),
    prepareStatus(draft) {
      const uid = draft.object.status?.clusterUID ?? '';
      if (uid !== '') draft.hidden[hiddenClusterUid] = uid;
    },
    claims,
    claimTaken: (_claim, holder, { object }) =>
      conflict(
        groupResourceOf(clusterKind),
        object.metadata.name ?? '',
        `it is the same cluster as ${JSON.stringify(holder)}, which is already connected`,
      ),
    prepareDelete(object) {
      // In a shared store, another process may be placing an instance on the cluster now. The cluster controller counts
      // the instances again after the deletion has started, when no new instances are placed.
      if (state.isShared() || state.instancesOn(object.metadata.name ?? '') > 0) addFinalizer(object);
    },
  });
}

function clusterErrors(draft: ClusterDraft, kubeconfigs: ClusterKubeconfigs): FieldError[] {
  const { object, old } = draft;
  const name = object.metadata.name ?? '';
  const found = ownerErrors(object.spec?.owner, 'spec.owner');
  found.push(...hostIsolationErrors(object.spec?.hostIsolation, 'spec.hostIsolation'));
  const fault = kubeconfigs.faultOf(draft);
  if (fault !== undefined) found.push(fault);
  if (reservedNames.includes(name)) found.push(invalid('metadata.name', name, 'this name is reserved'));
  const { local: isLocal = false, networkPeer: isPeer = false } = object.spec ?? {};
  if (isLocal && name !== builtInClusterName) {
    found.push(forbiddenField('spec.local', `the built-in cluster is ${builtInClusterName}; there is no other`));
  }
  if (old !== undefined && isLocal !== (old.object.spec?.local ?? false)) {
    found.push(invalid('spec.local', isLocal, 'field is immutable'));
  }
  const hasKubeconfig = (draft.hidden[hiddenKubeconfig] ?? '') !== '' || fault !== undefined;
  const connectionTypes = [isLocal, isPeer, hasKubeconfig && (!isPeer || kubeconfigs.isSentByClient(draft))].filter(
    (isSet) => isSet,
  ).length;
  if (connectionTypes > 1) {
    found.push(forbiddenField('spec', 'only one of local, networkPeer and kubeconfig may be set'));
  } else if (connectionTypes === 0) {
    found.push(required('spec.kubeconfig', 'set a kubeconfig, or networkPeer for a cluster with an agent'));
  }
  return found;
}

/**
 * Returns the claim for the unique ID of the connected cluster: a name that only one Cluster object can hold. So no two
 * Cluster objects refer to the same cluster.
 */
function claims({ hidden }: { readonly hidden?: ClusterHidden }): readonly string[] {
  const uid = hidden?.[hiddenClusterUid] ?? '';
  return uid === '' ? [] : [uid];
}

/** Adds the finalizer that delays the deletion of a cluster until all instances on it have been removed. */
function addFinalizer(object: Cluster): void {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(cleanupFinalizer)) object.metadata.finalizers = [...finalizers, cleanupFinalizer];
}

/** Keeps the finalizer during deletion. Only the server may remove it. */
function keepFinalizer({ object, old }: ClusterDraft, { system }: RequestContext): void {
  const { deletionTimestamp, finalizers = [] } = old?.object.metadata ?? {};
  if (!system && deletionTimestamp !== undefined && finalizers.includes(cleanupFinalizer)) addFinalizer(object);
}
