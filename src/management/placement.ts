import { hash } from 'node:crypto';
import type { KubeObject } from '../api/meta.ts';
import { hostNamespaceStem } from '../api/naming.ts';
import { flagAt, listAt, textAt } from '../lib/json-path.ts';
import type { ManagementState } from './state.ts';

const hashLength = 6;
const maxNamespaceLength = 63;
/** Helm's limit for release names. */
const maxVirtualClusterLength = 53;

/** 30 bits, in the lower-case characters that names allow. */
function hashOf(...parts: readonly string[]): string {
  const digest = hash('sha256', parts.join('/'), 'buffer');
  let text = '';
  for (const byte of digest.subarray(0, hashLength)) text += (byte % 32).toString(32);
  return text;
}

function shortened(name: string, hash: string, maxLength: number): string {
  return `${name.slice(0, maxLength - hash.length - 1).replace(/[-.]+$/, '')}-${hash}`;
}

/**
 * The name always ends in the hash, even if nothing was truncated: it distinguishes `a-v-b`/`c` from `a`/`b-v-c`, and
 * the same instance always gets the same namespace.
 */
export function hostNamespaceFor(project: string, instance: string): string {
  return shortened(hostNamespaceStem(project, instance), hashOf(project, instance), maxNamespaceLength);
}

export function virtualClusterNameFor(project: string, instance: string): string {
  if (instance.length <= maxVirtualClusterLength) return instance;
  return shortened(instance, hashOf(project, instance), maxVirtualClusterLength);
}

/** True if `allowedClusters` of the project contains this cluster. */
export function allowsCluster(project: KubeObject, cluster: string): boolean {
  return listAt(project, 'spec', 'allowedClusters').some((entry) => ['*', cluster].includes(textAt(entry, 'name')));
}

/** True if new virtual clusters may be placed on the cluster. */
export function isUsable(cluster: KubeObject): boolean {
  return cluster.metadata.deletionTimestamp === undefined && !flagAt(cluster, 'spec', 'unusable');
}

/** The built-in cluster is always ready, since it is this process. Others must be online and not report Ready=False. */
function isReady(cluster: KubeObject): boolean {
  if (flagAt(cluster, 'spec', 'local')) return true;
  const isNotReady = listAt(cluster, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'False',
  );
  return flagAt(cluster, 'status', 'online') && !isNotReady;
}

/** Returns the allowed and ready cluster with the fewest instances, `undefined` if there is none. */
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
