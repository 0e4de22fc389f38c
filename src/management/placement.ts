import { hash } from 'node:crypto';
import type { KubeObject } from '../api/meta.ts';
import { hostNamespaceStem } from '../api/naming.ts';
import { flagAt, listAt, textAt } from '../lib/json-path.ts';
import type { ManagementState } from './state.ts';

const hashLength = 6;
const longestNamespace = 63;
/** Helm's limit for release names. */
const longestVirtualCluster = 53;

/** 30 bits, in the lower-case characters that names allow. */
function hashOf(...parts: readonly string[]): string {
  const digest = hash('sha256', parts.join('/'), 'buffer');
  let text = '';
  for (const byte of digest.subarray(0, hashLength)) text += (byte % 32).toString(32);
  return text;
}

function shortened(name: string, hash: string, longest: number): string {
  return `${name.slice(0, longest - hash.length - 1).replace(/[-.]+$/, '')}-${hash}`;
}

/**
 * The hash is there even when nothing had to be cut: it tells `a-v-b`/`c` from `a`/`b-v-c`, and the same instance
 * always gets the same namespace.
 */
export function hostNamespaceFor(project: string, instance: string): string {
  return shortened(hostNamespaceStem(project, instance), hashOf(project, instance), longestNamespace);
}

export function virtualClusterNameFor(project: string, instance: string): string {
  if (instance.length <= longestVirtualCluster) return instance;
  return shortened(instance, hashOf(project, instance), longestVirtualCluster);
}

/** Whether a list of the project (`allowedClusters`, `allowedTemplates`) names this one. */
export function allowsCluster(project: KubeObject, cluster: string): boolean {
  return listAt(project, 'spec', 'allowedClusters').some((entry) => ['*', cluster].includes(textAt(entry, 'name')));
}

/** Whether new virtual clusters may be placed there at all. */
export function isUsable(cluster: KubeObject): boolean {
  return cluster.metadata.deletionTimestamp === undefined && !flagAt(cluster, 'spec', 'unusable');
}

/** The built-in cluster is this very process; the others are known to answer and to let the server work, or not. */
function isReady(cluster: KubeObject): boolean {
  if (flagAt(cluster, 'spec', 'local')) return true;
  const isRefused = listAt(cluster, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'False',
  );
  return flagAt(cluster, 'status', 'online') && !isRefused;
}

/** The cluster with the fewest instances among the allowed ones that are ready; undefined: there is none now. */
export function chooseCluster(
  project: KubeObject,
  state: Pick<ManagementState, 'clusters' | 'instancesOn'>,
): string | undefined {
  let best: { readonly name: string; readonly load: number } | undefined;
  for (const cluster of state.clusters()) {
    const name = cluster.metadata.name ?? '';
    if (!isUsable(cluster) || !isReady(cluster) || !allowsCluster(project, name)) continue;
    const load = state.instancesOn(name);
    if (best === undefined || load < best.load || (load === best.load && name < best.name)) best = { name, load };
  }
  return best?.name;
}
