import { expect, it } from 'vitest';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { InstanceIndex } from './instance-index.ts';

const instance = (name: string, uid: string, cluster: string, template = 't'): VirtualClusterInstance => ({
  apiVersion: '',
  kind: '',
  metadata: { namespace: 'p', name, uid },
  spec: { clusterRef: { cluster, namespace: `ns-${name}` }, templateRef: { name: template } },
});

it('the index finds affected instances, and follows moves and deletions', () => {
  const directory = new InstanceIndex();
  directory.put(instance('a', 'u1', ''));
  directory.put(instance('b', 'u2', 'local'));
  expect(directory.onCluster('')).toEqual(['p/a']);
  directory.put(instance('a', 'u1', 'local', 'other'));
  expect(directory.onCluster('')).toEqual([]);
  expect(directory.onCluster('local')).toEqual(['p/b', 'p/a']);
  expect(directory.clusterOf('p/a')).toBe('local');
  expect(directory.inHostNamespace('local', 'ns-a')).toEqual(['p/a']);
  expect(directory.inHostNamespace('', 'ns-a')).toEqual([]);
  expect(directory.withTemplate('t')).toEqual(['p/b']);
  expect(directory.keyOfUid('u2')).toBe('p/b');
  // A new instance of the same name.
  directory.put(instance('b', 'u3', 'local'));
  expect(directory.keyOfUid('u2')).toBeUndefined();
  expect(directory.remove('p/b')).toBe('u3');
  expect(directory.hasInstancesOn('local')).toBe(true);
  expect(directory.remove('p/a')).toBe('u1');
  expect(directory.hasInstancesOn('local')).toBe(false);
  expect(directory.remove('p/a')).toBeUndefined();
  expect([directory.size, directory.withTemplate('t'), directory.inHostNamespace('local', 'ns-a')]).toEqual([
    0,
    [],
    [],
  ]);
});
