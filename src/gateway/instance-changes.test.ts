import { describe, expect, it } from 'vitest';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import type { ObjectMeta } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { createInstanceChanges } from './instance-changes.ts';
import { virtualClusterType } from './instance-type.ts';

function instance(
  change: Pick<VirtualClusterInstance, 'spec' | 'status'> = {},
  metadata: ObjectMeta = {},
): VirtualClusterInstance {
  return {
    apiVersion: 'v1',
    kind: 'VirtualClusterInstance',
    metadata: { name: 'demo', uid: 'i1', ...metadata },
    ...change,
  };
}

const codeOf = ({ reason }: AbortSignal) => (reason instanceof StatusError ? reason.code : undefined);

describe('a long-running request inside an instance', () => {
  it('ends when the default role, a template rule or an instance rule changes (completions §8)', () => {
    for (const after of [
      instance({ status: { virtualCluster: { access: { defaultClusterRole: 'view' } } } }),
      instance({ status: { virtualCluster: { access: { rules: [{ users: ['anna'], clusterRole: 'view' }] } } } }),
      instance({ spec: { extraAccessRules: [{ teams: ['red'], clusterRole: 'edit' }] } }),
    ]) {
      const changes = createInstanceChanges(virtualClusterType);
      const signal = changes.signalFor(instance());
      changes.handleChange(instance(), after);
      expect([signal.aborted, codeOf(signal)]).toEqual([true, 410]);
      expect(changes.signalFor(after).aborted).toBe(false);
    }
  });

  it('continues when anything else or another instance changes', () => {
    const changes = createInstanceChanges(virtualClusterType);
    const signal = changes.signalFor(instance());
    changes.handleChange(instance(), instance({ spec: { displayName: 'x' }, status: { phase: 'Ready' } }));
    changes.handleChange(instance(), instance({ status: { virtualCluster: { access: { defaultClusterRole: '' } } } }));
    changes.handleChange(instance({}, { uid: 'i2' }), undefined);
    changes.handleChange(undefined, instance());
    expect([signal.aborted, changes.signalFor(instance()) === signal]).toEqual([false, true]);
  });

  it('ends when the instance is deleted', () => {
    for (const after of [undefined, instance({}, { deletionTimestamp: '2030-01-01T00:00:00Z' })]) {
      const changes = createInstanceChanges(virtualClusterType);
      const signal = changes.signalFor(instance());
      changes.handleChange(instance(), after);
      expect([signal.aborted, codeOf(signal)]).toEqual([true, 503]);
    }
  });
});
