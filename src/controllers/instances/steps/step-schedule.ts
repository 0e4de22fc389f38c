import type { ReconcileResult } from '../../runtime/controller.ts';
import { ignoreNotFound } from '../../runtime/ignore-not-found.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import { StatusDraft } from '../status-draft.ts';
import { writeStatus } from '../write-status.ts';

/**
 * Fallback interval for scheduling. Changes to clusters and projects also trigger a reconcile of unscheduled instances.
 */
const retryMilliseconds = 30_000;

/** Schedules an instance that has no cluster: if a cluster is available, writes its name to the spec. */
export async function scheduleStep(
  snapshot: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { object, namespace, name, project } = snapshot;
  const cluster = dependencies.chooseCluster(project);
  if (cluster !== undefined) {
    const { uid = '', resourceVersion = '' } = object.metadata;
    const patch = { metadata: { uid, resourceVersion }, spec: { clusterRef: { cluster } } };
    await ignoreNotFound(dependencies.instances.patch({ namespace, name }, patch, { signal }));
    dependencies.events.record(object, 'Normal', 'Scheduled', `Assigned to cluster "${cluster}".`);
    return undefined;
  }
  const why = {
    reason: 'NoCluster',
    message:
      `No cluster is available: project "${project}" allows no reachable cluster that accepts new ${snapshot.profile.noun}s. ` +
      'Connect a cluster, or allow one in the project. The instance is then scheduled automatically.',
  };
  const draft = new StatusDraft(object, dependencies.clock.now());
  draft.setCondition('Scheduled', 'False', why);
  draft.setPhase('Pending', why);
  if (object.status?.reason !== why.reason) {
    dependencies.events.record(object, 'Warning', why.reason, why.message);
  }
  await writeStatus(dependencies.instances, object, draft, signal);
  return { requeueAfterMilliseconds: retryMilliseconds };
}
