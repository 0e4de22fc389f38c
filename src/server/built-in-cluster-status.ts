import { equalJson } from '@flotilla/json';
import { namespaceKind } from '../api/core/namespace.ts';
import { type Cluster, clusterKind } from '../api/management/v1/cluster.ts';
import { builtInClusterName } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { systemContext } from '../controlplane/system-context.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';

/**
 * Updates the status of the built-in cluster, which is online whenever the server runs. A write is needed only on the
 * first start and after a version change.
 */
export async function updateBuiltInClusterStatus(
  kinds: KindStores,
  local: KindStores,
  kubernetesVersion: string,
): Promise<void> {
  // The uid detects an attempt to connect the built-in cluster again by its address.
  const clusterUID = storeOf(local, namespaceKind).peek('', 'kube-system')?.object.metadata.uid ?? '';
  const clusters = storeOf(kinds, clusterKind);
  const cluster = clusters.peek('', builtInClusterName)?.object;
  if (cluster?.spec?.local !== true) return;
  const status = { phase: 'Initialized', online: true, kubernetesVersion };
  const write = async (document: NonNullable<Cluster['status']>) => {
    if (equalJson(cluster.status, document)) return;
    await clusters.status?.patch(
      systemContext(''),
      builtInClusterName,
      { type: 'merge', document: { status: document }, findings: [] },
      { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false },
    );
  };
  try {
    await write({ ...status, clusterUID });
  } catch (error) {
    // 409: another object claims the UID. An older server allowed connecting the built-in cluster by its address.
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    await write(status);
  }
}
