import { setCondition } from '../../api/conditions.ts';
import { isGracePeriodOver } from '../../api/grace-period.ts';
import type { Cluster, clusterKind } from '../../api/management/v1/cluster.ts';
import { abandonAnnotation, cleanupFinalizer } from '../../api/naming.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';

export interface ReleaseDependencies {
  readonly clusters: ResourceClient<FieldsOf<typeof clusterKind>>;
  /** Returns the number of instances on the cluster, including all that were stored before this call. */
  instancesOn(cluster: string): Promise<number>;
  readonly clock: Clock;
}

/**
 * Blocks the deletion of a Cluster object whose cluster has instances, because the server cannot remove the instances
 * without it. Returns true as long as the Cluster object has its finalizer.
 */
export async function releaseStep(
  cluster: Cluster,
  dependencies: ReleaseDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { name = '', uid = '', finalizers = [], resourceVersion = '', generation = 0 } = cluster.metadata;
  const { clusters, clock } = dependencies;
  if (cluster.metadata.deletionTimestamp === undefined || !finalizers.includes(cleanupFinalizer)) return false;
  const remaining = await dependencies.instancesOn(name);
  if (remaining === 0 && isGracePeriodOver(cluster, clock.now())) {
    const remainingFinalizers = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
    await ignoreNotFound(
      clusters.patch({ name }, { metadata: { resourceVersion, finalizers: remainingFinalizers } }, { signal }),
    );
    return true;
  }
  const before = cluster.status?.conditions ?? [];
  const conditions = setCondition(
    before,
    {
      type: 'ContentDeleted',
      status: 'False',
      reason: 'InstancesRemaining',
      message:
        'Virtual cluster instances still run on this cluster. Delete them; the cluster is removed after the last one. If the ' +
        `cluster is gone permanently, abandon the instances with the annotation ${abandonAnnotation}: "<reason>".`,
      observedGeneration: generation,
    },
    clock.now(),
  );
  if (conditions !== before) {
    await ignoreNotFound(clusters.patchStatus({ name }, { metadata: { uid }, status: { conditions } }, { signal }));
  }
  return true;
}
