import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { InstanceDirectory } from './instance-directory.ts';

const instance = (name: string, uid: string, cluster: string, template = 't'): KubeObject => ({
  apiVersion: '',
  kind: '',
  metadata: { namespace: 'p', name, uid },
  spec: { clusterRef: { cluster, namespace: `ns-${name}` }, templateRef: { name: template } },
});

it('the index finds affected instances, and follows moves and deletions', () => {
  const directory = new InstanceDirectory();
  directory.put(instance('a', 'u1', ''));
  directory.put(instance('b', 'u2', 'local'));
  expect(directory.on('')).toEqual(['p/a']);
  directory.put(instance('a', 'u1', 'local', 'other'));
  expect(directory.on('')).toEqual([]);
  expect(directory.clusterOf('p/a')).toBe('local');
  expect(directory.in('local', 'ns-a')).toEqual(['p/a']);
  expect(directory.in('', 'ns-a')).toEqual([]);
  expect(directory.from('t')).toEqual(['p/b']);
  expect(directory.keyOfUid('u2')).toBe('p/b');
  // A new instance of the same name.
  directory.put(instance('b', 'u3', 'local'));
  expect(directory.keyOfUid('u2')).toBeUndefined();
  expect(directory.remove('p/b')).toBe('u3');
  expect(directory.remove('p/a')).toBe('u1');
  expect(directory.remove('p/a')).toBeUndefined();
  expect([directory.size, directory.from('t'), directory.in('local', 'ns-a')]).toEqual([0, [], []]);
});
