import { describe, expect, it } from 'vitest';
import { apiVersionOf } from '../api/meta.ts';
import { planeIdOf, type VirtualCluster, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import { PlaneLocations } from './plane-locations.ts';

const virtualCluster = (name: string): VirtualCluster => ({
  apiVersion: apiVersionOf(virtualClusterKind),
  kind: virtualClusterKind.kind,
  metadata: { namespace: 'default', name, uid: `uid-of-${name}` },
});

function open(names: readonly string[]) {
  const objects = new Map(names.map((name) => [name, virtualCluster(name)]));
  let reads = 0;
  const entry = (object: VirtualCluster) => ({ object, revision: 1 });
  const locations = new PlaneLocations({
    peek: (_namespace: string, name: string) => {
      const object = objects.get(name);
      return object && entry(object);
    },
    peekAll: () => {
      reads += 1;
      return [...objects.values()].map(entry);
    },
  } as unknown as ConstructorParameters<typeof PlaneLocations>[0]);
  return { locations, objects, reads: () => reads };
}

describe('PlaneLocations', () => {
  it('does not read all virtual clusters to find one that was added', () => {
    const { locations, reads } = open(['one', 'two']);
    locations.add(virtualCluster('two'));
    expect(locations.find(planeIdOf(virtualCluster('two')))?.metadata.name).toBe('two');
    expect(reads()).toBe(0);
  });

  it('reads all virtual clusters once to find those that existed before', () => {
    const { locations, reads } = open(['one', 'two']);
    for (const name of ['one', 'two'])
      expect(locations.find(planeIdOf(virtualCluster(name)))?.metadata.name).toBe(name);
    expect(locations.find('unknown')).toBeUndefined();
    expect(reads()).toBe(1);
  });

  it('does not find a virtual cluster that was removed', () => {
    const { locations, objects } = open(['one']);
    const object = virtualCluster('one');
    locations.find(planeIdOf(object));
    objects.delete('one');
    locations.remove(object);
    expect(locations.find(planeIdOf(object))).toBeUndefined();
  });
});
