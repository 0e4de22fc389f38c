import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { type InstanceKind, instanceKinds, type ManagementState } from '../state.ts';

/** A namespace of a connected cluster. */
interface ClusterNamespace {
  readonly cluster: string;
  readonly namespace: string;
}

/**
 * True if an instance of one of these kinds has the namespace as its location, even if the instance is not installed
 * yet or is being deleted.
 */
export function isInstanceIn(
  kinds: readonly InstanceKind[],
  { cluster, namespace }: ClusterNamespace,
  state: ManagementState,
): boolean {
  return hasInstance(kinds, state, ({ spec }) => {
    const location = spec?.clusterRef;
    return location?.cluster === cluster && location.namespace === namespace;
  });
}

/** True if the owner label of an object on a host names an existing instance. */
export function isOwnerPresent(owner: string, state: ManagementState): boolean {
  return hasInstance(instanceKinds, state, ({ metadata }) => metadata.uid === owner);
}

function hasInstance(
  kinds: readonly InstanceKind[],
  state: ManagementState,
  matches: (instance: Pick<VirtualClusterInstance, 'metadata' | 'spec'>) => boolean,
): boolean {
  for (const project of state.projects()) {
    const name = project.metadata.name ?? '';
    for (const kind of kinds) {
      const instances = kind === spaceInstanceKind ? state.spacesOf(name) : state.instancesOf(name);
      for (const instance of instances) if (matches(instance)) return true;
    }
  }
  return false;
}
