import { namespaceKind } from '../api/core/namespace.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { localCluster } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { systemContext } from '../controlplane/system-context.ts';
import { flagAt, valueAt } from '../lib/json-path.ts';
import { equalJson, type JsonObject, type JsonValue } from '../lib/json-value.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';

/**
 * The built-in cluster runs whenever the server does, so what its object says of it is true from the start on. Written
 * where it says something else: on the first start, and after a new version of the server.
 */
export async function keepLocalClusterStatus(
  kinds: KindStores,
  local: KindStores,
  kubernetesVersion: string,
): Promise<void> {
  // Whoever connects the built-in cluster again, by its address, is told that it is connected.
  const clusterUID = storeOf(local, namespaceKind).peek('', 'kube-system')?.object.metadata.uid ?? '';
  const clusters = storeOf(kinds, clusterKind);
  const object = clusters.peek('', localCluster)?.object as JsonValue | undefined;
  if (object === undefined || !flagAt(object, 'spec', 'local')) return;
  const status = { phase: 'Initialized', online: true, kubernetesVersion };
  const write = async (document: JsonObject) => {
    if (equalJson(valueAt(object, 'status'), document)) return;
    await clusters.status?.patch(
      systemContext(''),
      localCluster,
      { type: 'merge', document: { status: document }, findings: [] },
      { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false },
    );
  };
  try {
    await write({ ...status, clusterUID });
  } catch (error) {
    // It was connected by its address before this server looked out for that: what is there goes on.
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    await write(status);
  }
}
