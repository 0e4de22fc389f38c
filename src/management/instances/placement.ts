import { hash } from 'node:crypto';
import type { Cluster } from '../../api/management/v1/cluster.ts';
import type { Project } from '../../api/management/v1/project.ts';
import { hostNamespaceBaseName } from '../../api/naming.ts';
import type { ManagementState } from '../state.ts';

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
  return shortened(hostNamespaceBaseName(project, instance), hashOf(project, instance), maxNamespaceLength);
}

export function virtualClusterNameFor(project: string, instance: string): string {
  if (instance.length <= maxVirtualClusterLength) return instance;
  return shortened(instance, hashOf(project, instance), maxVirtualClusterLength);
}

/** True if `allowedClusters` of the project contains this cluster. */
export function allowsCluster(project: Project, cluster: string): boolean {
  return (project.spec?.allowedClusters ?? []).some(({ name }) => ['*', cluster].includes(name));
}

/** True if new virtual clusters may be placed on the cluster. */
export function isUsable(cluster: Cluster): boolean {
  return cluster.metadata.deletionTimestamp === undefined && cluster.spec?.unusable !== true;
}

/** The built-in cluster is always ready, since it is this process. Others must be online and not report Ready=False. */
function isReady(cluster: Cluster): boolean {
  if (cluster.spec?.local === true) return true;
  const isNotReady = (cluster.status?.conditions ?? []).some(
    ({ type, status }) => type === 'Ready' && status === 'False',
  );
  return cluster.status?.online === true && !isNotReady;
}

/** Returns the allowed and ready cluster with the fewest instances, `undefined` if there is none. */
export function chooseCluster(
  project: Project,
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
