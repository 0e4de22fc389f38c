import { clusterKind } from '../api/management/v1/cluster.ts';
import { localCluster } from '../api/naming.ts';
import { systemContext } from '../controlplane/system-context.ts';
import { flagAt, valueAt } from '../lib/json-path.ts';
import { equalJson, type JsonValue } from '../lib/json-value.ts';
import type { KindStores } from '../management/state.ts';
import { storeOf } from './rights-changes.ts';

/**
 * The built-in cluster runs whenever the server does, so what its object says of it is true from the start on. Written
 * where it says something else: on the first start, and after a new version of the server.
 */
export async function keepLocalClusterStatus(kinds: KindStores, kubernetesVersion: string): Promise<void> {
  const clusters = storeOf(kinds, clusterKind);
  const object = clusters.peek('', localCluster)?.object as JsonValue | undefined;
  if (object === undefined || !flagAt(object, 'spec', 'local')) return;
  const status = { phase: 'Initialized', online: true, kubernetesVersion };
  if (equalJson(valueAt(object, 'status'), status)) return;
  await clusters.status?.patch(
    systemContext(''),
    localCluster,
    { type: 'merge', document: { status }, findings: [] },
    { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false },
  );
}
