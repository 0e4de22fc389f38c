import { equalJson } from '@flotilla/json';
import { namespaceKind } from '../api/core/namespace.ts';
import { type Cluster, clusterKind } from '../api/management/v1/cluster.ts';
import { builtInClusterName } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { systemContext } from '../controlplane/system-context.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import type { RevisionCheck } from '../store/store.ts';

/**
 * Writes the status of the Cluster object `local`, which describes the built-in cluster. The built-in cluster is online
 * whenever the server runs, so only the first start and a version change cause a write. The write contains the check
 * `fence`.
 */
export async function updateBuiltInClusterStatus(
  kinds: KindStores,
  local: KindStores,
  kubernetesVersion: string,
  fence?: RevisionCheck,
): Promise<void> {
  // The uid in the status makes it possible to detect a second Cluster object whose kubeconfig leads to the built-in
  // cluster.
  const clusterUID = storeOf(local, namespaceKind).peek('', 'kube-system')?.object.metadata.uid ?? '';
  const clusters = storeOf(kinds, clusterKind);
  const cluster = clusters.peek('', builtInClusterName)?.object;
  if (cluster?.spec?.local !== true) return;
  const status = { phase: 'Initialized', online: true, kubernetesVersion };
  const write = async (document: NonNullable<Cluster['status']>) => {
    if (equalJson(cluster.status, document)) return;
    await clusters.status?.patch(
      systemContext('', undefined, fence),
      builtInClusterName,
      { type: 'merge', document: { status: document }, findings: [] },
      { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false },
    );
  };
  try {
    await write({ ...status, clusterUID });
  } catch (error) {
    // 409: another Cluster object has this uid, because an older server accepted a kubeconfig of the built-in cluster.
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    await write(status);
  }
}
