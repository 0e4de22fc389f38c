import { hash } from 'node:crypto';
import type { Cluster } from '../../api/management/v1/cluster.ts';
import type { Project } from '../../api/management/v1/project.ts';
import { hostNamespaceBaseName, spaceNamespaceBaseName } from '../../api/naming.ts';
import type { ManagementState } from '../state.ts';

const hashLength = 6;
const maxNamespaceLength = 63;
/** Maximum length of a virtual cluster name, which is also the name of a Helm release. */
const maxVirtualClusterLength = 53;

/** Returns a hash of 30 bits as lower-case characters that are allowed in names. */
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
 * Returns the host namespace of an instance. The same project and instance names always give the same namespace. Every
 * namespace ends in a hash, even if it was not truncated. Otherwise the instance `c` of the project `a-v-b` would get
 * the same namespace as the instance `b-v-c` of the project `a`.
 */
export function hostNamespaceFor(project: string, instance: string): string {
  return shortened(hostNamespaceBaseName(project, instance), hashOf(project, instance), maxNamespaceLength);
}

/** Returns the host namespace of a space. */
export function spaceNamespaceFor(project: string, space: string): string {
  return shortened(spaceNamespaceBaseName(project, space), hashOf(project, space), maxNamespaceLength);
}

export function virtualClusterNameFor(project: string, instance: string): string {
  if (instance.length <= maxVirtualClusterLength) return instance;
  return shortened(instance, hashOf(project, instance), maxVirtualClusterLength);
}

/** True if the project's `allowedClusters` contains this cluster. */
export function projectAllowsCluster(project: Project, cluster: string): boolean {
  return (project.spec?.allowedClusters ?? []).some(({ name }) => ['*', cluster].includes(name));
}

/** True if new instances may be placed on the cluster: it is neither marked as unusable nor being deleted. */
export function acceptsInstances(cluster: Cluster): boolean {
  return cluster.metadata.deletionTimestamp === undefined && cluster.spec?.unusable !== true;
}

/** True if nothing may be installed on the cluster, because one of its agents permits only imports. */
export function isReadOnly(cluster: Cluster): boolean {
  return (cluster.status?.agents ?? []).some(({ readOnly }) => readOnly === true);
}

/** Returns the reason why no instance is installed on a read-only cluster. */
export function readOnlyDetail(cluster: string, noun: string): string {
  return `the agent of the cluster ${cluster} is read-only, so no ${noun} can be installed there; import an existing virtual cluster, or choose another cluster`;
}

/** True if the cluster is online and does not report Ready=False. The built-in cluster is always ready. */
function isReady(cluster: Cluster): boolean {
  if (cluster.spec?.local === true) return true;
  const isNotReady = (cluster.status?.conditions ?? []).some(
    ({ type, status }) => type === 'Ready' && status === 'False',
  );
  return cluster.status?.online === true && !isNotReady;
}

/** Returns the cluster with the fewest instances among the allowed and ready clusters. `undefined` if there is none. */
export function chooseCluster(
  project: Project,
  state: Pick<ManagementState, 'clusters' | 'instancesOn'>,
): string | undefined {
  let best: { readonly name: string; readonly load: number } | undefined;
  for (const cluster of state.clusters()) {
    const name = cluster.metadata.name ?? '';
    if (!acceptsInstances(cluster) || isReadOnly(cluster)) continue;
    if (!isReady(cluster) || !projectAllowsCluster(project, name)) continue;
    const load = state.instancesOn(name);
    if (best === undefined || load < best.load || (load === best.load && name < best.name)) best = { name, load };
  }
  return best?.name;
}
