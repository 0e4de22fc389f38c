import { describe, expect, it } from 'vitest';
import type { VirtualClusterInstance } from '../../../api/management/v1/virtual-cluster-instance.ts';
import { cleanupFinalizer, importedAnnotation } from '../../../api/naming.ts';
import { ManualClock } from '../../../lib/clock.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import { snapshotOf } from '../instance-snapshot.ts';
import { removeInstanceStep } from './step-remove.ts';

/**
 * Reconciles a deleted instance whose host has not finished the removal. Returns the milliseconds until the next
 * attempt.
 */
async function nextAttempt(annotations: Record<string, string>): Promise<number | undefined> {
  const clock = new ManualClock();
  const object = {
    apiVersion: 'management.platform.sh/v1',
    kind: 'VirtualClusterInstance',
    metadata: {
      name: 'demo',
      namespace: 'platform-p-default',
      deletionTimestamp: new Date(clock.now()).toISOString(),
      finalizers: [cleanupFinalizer],
      annotations,
    },
    spec: { clusterRef: { cluster: 'far', namespace: 'demo', virtualCluster: 'demo' } },
  } as VirtualClusterInstance;
  const host = { observe: async () => undefined, remove: async () => false };
  const dependencies = { clock, driverOf: () => host, events: { record() {} } } as unknown as InstanceDependencies;
  const result = await removeInstanceStep(snapshotOf(object), dependencies, new AbortController().signal);
  return result?.requeueAfterMilliseconds;
}

describe('the removal of an instance', () => {
  it('is checked rarely, because the host reports its progress', async () => {
    expect(await nextAttempt({})).toBe(120_000);
  });

  it('of an imported virtual cluster is checked every five seconds, because nothing watches the last pods', async () => {
    expect(await nextAttempt({ [importedAnnotation]: 'some-uid' })).toBe(5_000);
  });
});
