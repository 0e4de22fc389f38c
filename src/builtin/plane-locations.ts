import type { FieldsOf } from '../api/resource.ts';
import { planeIdOf, type VirtualCluster, type virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { KindStore } from '../registry/kind-store.ts';

/** Finds the VirtualCluster object of a plane. The ID of a plane does not contain the object's namespace and name. */
export class PlaneLocations {
  readonly #virtualClusters: Pick<KindStore<FieldsOf<typeof virtualClusterKind>>, 'peek' | 'peekAll'>;
  readonly #locations = new Map<string, { readonly namespace: string; readonly name: string }>();
  /**
   * True if the locations of all virtual clusters have been read. They are read only when an unknown plane is looked
   * up, because reading decodes every VirtualCluster object.
   */
  #isComplete = false;

  constructor(virtualClusters: Pick<KindStore<FieldsOf<typeof virtualClusterKind>>, 'peek' | 'peekAll'>) {
    this.#virtualClusters = virtualClusters;
  }

  /**
   * Adds a virtual cluster. Must be called for each virtual cluster that is created. Existing virtual clusters need not
   * be added before a lookup.
   */
  add(object: VirtualCluster): void {
    const { namespace = '', name = '' } = object.metadata;
    this.#locations.set(planeIdOf(object), { namespace, name });
  }

  /** Must be called for each virtual cluster that is removed. */
  remove(object: VirtualCluster): void {
    this.#locations.delete(planeIdOf(object));
  }

  find(planeId: string): VirtualCluster | undefined {
    if (!this.#isComplete && !this.#locations.has(planeId)) {
      for (const { object } of this.#virtualClusters.peekAll()) this.add(object);
      this.#isComplete = true;
    }
    const location = this.#locations.get(planeId);
    return location && this.#virtualClusters.peek(location.namespace, location.name)?.object;
  }
}
