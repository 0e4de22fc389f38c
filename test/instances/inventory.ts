import { type JsonValue, listAt, textAt } from '@flotilla/json';
import { builtInClusterName, managementGroup, projectNamespace, storageGroup } from '../../src/api/naming.ts';
import { ApiCaller } from '../bad-days/api-caller.ts';
import type { FlotillaProcess } from '../harness/flotilla-process.ts';

export const group = `/apis/${managementGroup}/v1`;
export const instancesOf = (project: string) =>
  `${group}/namespaces/${projectNamespace(project)}/virtualclusterinstances`;

/** The instances in the management API, and their virtual clusters and namespaces on the built-in cluster. */
export interface Inventory {
  /** The phase of each instance by `<project namespace>/<name>`; `Terminating` for an instance under deletion. */
  readonly instances: ReadonlyMap<string, string>;
  /** The virtual clusters on the built-in cluster, as `<namespace>/<name>`. */
  readonly virtualClusters: readonly string[];
  /** The namespaces on the built-in cluster that were created for virtual clusters. */
  readonly namespaces: readonly string[];
}

/** Returns the number of projects. Cheaper than an inventory, for polling until there are none. */
export async function countProjects(server: FlotillaProcess): Promise<number> {
  const api = await ApiCaller.of(server);
  try {
    return listAt((await api.get(`${group}/projects`)) as JsonValue, 'items').length;
  } finally {
    await api.close();
  }
}

export async function takeInventory(server: FlotillaProcess): Promise<Inventory> {
  const management = await ApiCaller.of(server);
  const local = await ApiCaller.of(server, `/kubernetes/cluster/${builtInClusterName}`);
  const items = async (api: ApiCaller, path: string) => listAt((await api.get(path)) as JsonValue, 'items');
  try {
    const instances = await items(management, `${group}/virtualclusterinstances`);
    const namespaces = await items(local, '/api/v1/namespaces');
    return {
      instances: new Map(instances.map((item) => [placeOf(item), phaseOf(item)])),
      virtualClusters: (await items(local, `/apis/${storageGroup}/v1/virtualclusters`)).map(placeOf).sort(),
      namespaces: namespaces.map((item) => textAt(item, 'metadata', 'name')).filter((name) => name.includes('-v-')),
    };
  } finally {
    await management.close();
    await local.close();
  }
}

function placeOf(item: JsonValue): string {
  return `${textAt(item, 'metadata', 'namespace')}/${textAt(item, 'metadata', 'name')}`;
}

function phaseOf(item: JsonValue): string {
  return textAt(item, 'metadata', 'deletionTimestamp') === '' ? textAt(item, 'status', 'phase') : 'Terminating';
}

/** True if the actual state matches the desired state: every instance is Ready and has one virtual cluster. */
export function isConverged({ instances, virtualClusters, namespaces }: Inventory): boolean {
  return (
    [...instances.values()].every((phase) => phase === 'Ready') &&
    virtualClusters.length === instances.size &&
    namespaces.length === instances.size
  );
}
