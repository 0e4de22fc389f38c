import { type Condition, setCondition } from '../../api/conditions.ts';
import { isGraceOver } from '../../api/grace-period.ts';
import type { KubeObject } from '../../api/meta.ts';
import { abandonAnnotation, cleanupFinalizer } from '../../api/naming.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { listAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { unlessGone } from '../runtime/unless-gone.ts';

export interface ReleaseNeeds {
  readonly clusters: ResourceClient;
  /** How many instances there are on it. */
  instancesOn(cluster: string): number;
  readonly clock: Clock;
}

/**
 * A cluster that is being deleted while instances run on it is kept until the last of them is gone: without it nobody
 * could remove them. True while it is kept.
 */
export async function releaseStep(cluster: KubeObject, needs: ReleaseNeeds, signal: AbortSignal): Promise<boolean> {
  const { name = '', uid = '', finalizers = [], resourceVersion = '', generation = 0 } = cluster.metadata;
  const { clusters, clock } = needs;
  if (cluster.metadata.deletionTimestamp === undefined || !finalizers.includes(cleanupFinalizer)) return false;
  const left = needs.instancesOn(name);
  if (left === 0 && isGraceOver(cluster, clock.now())) {
    const kept = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
    await unlessGone(clusters.patch({ name }, { metadata: { resourceVersion, finalizers: kept } }, { signal }));
    return true;
  }
  const before = listAt(cluster, 'status', 'conditions') as unknown as Condition[];
  const conditions = setCondition(
    before,
    {
      type: 'ContentDeleted',
      status: 'False',
      reason: 'InstancesRemaining',
      message:
        'Virtual cluster instances run on it; it goes when the last of them is gone. Delete them; those that cannot be ' +
        `removed because the cluster never comes back are let go of with the annotation ${abandonAnnotation}: "<reason>".`,
      observedGeneration: generation,
    },
    clock.now(),
  );
  if (conditions !== before) {
    const status = { conditions: conditions as unknown as JsonValue };
    await unlessGone(clusters.patchStatus({ name }, { metadata: { uid }, status }, { signal }));
  }
  return true;
}
