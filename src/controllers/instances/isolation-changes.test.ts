import { describe, expect, it } from 'vitest';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { InstanceIndex } from './instance-index.ts';
import { IsolationChanges } from './isolation-changes.ts';

const object = (name: string, podSecurity?: string, online = true): KubeObject =>
  ({
    metadata: { name },
    spec: podSecurity === undefined ? {} : { hostIsolation: { podSecurity } },
    status: { online },
  }) as never;

describe('a change of hostIsolation', () => {
  it('affects the instances on the cluster or in the project, and other changes none', () => {
    const index = new InstanceIndex();
    for (const [project, cluster] of [
      ['red', 'europe'],
      ['blue', 'europe'],
      ['blue', 'asia'],
    ]) {
      const metadata = { name: `on-${cluster}`, namespace: `platform-p-${project}`, uid: `${project}-${cluster}` };
      index.put({ metadata, spec: { clusterRef: { cluster } } } as unknown as VirtualClusterInstance);
    }
    const changes = new IsolationChanges(index);
    expect(changes.affectedByCluster(object('europe'))).toEqual([]);
    expect(changes.affectedByCluster(object('europe', undefined, false))).toEqual([]);
    expect(changes.affectedByCluster(object('europe', 'restricted'))).toEqual([
      'platform-p-red/on-europe',
      'platform-p-blue/on-europe',
    ]);
    expect(changes.affectedByProject(object('blue', 'baseline'))).toEqual([]);
    expect(changes.affectedByProject(object('blue', 'restricted'))).toEqual([
      'platform-p-blue/on-europe',
      'platform-p-blue/on-asia',
    ]);
  });
});
