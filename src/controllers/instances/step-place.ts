import type { Outcome } from '../runtime/controller.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import { StatusDraft } from './status-draft.ts';
import { writeStatus } from './write-status.ts';

/**
 * Changes of clusters and projects trigger a reconcile of unscheduled instances; this interval covers missed causes.
 */
const retryMilliseconds = 30_000;

/** Schedules an instance that had no cluster at its creation: writes the cluster to its spec once one is available. */
export async function placeStep(
  snapshot: InstanceFacts,
  dependencies: InstanceNeeds,
  signal: AbortSignal,
): Promise<Outcome> {
  const { object, namespace, name, project } = snapshot;
  const cluster = dependencies.chooseCluster(project);
  if (cluster !== undefined) {
    const { uid = '', resourceVersion = '' } = object.metadata;
    const patch = { metadata: { uid, resourceVersion }, spec: { clusterRef: { cluster } } };
    await unlessGone(dependencies.instances.patch({ namespace, name }, patch, { signal }));
    dependencies.events.record(object, 'Normal', 'Scheduled', `Assigned to cluster "${cluster}".`);
    return undefined;
  }
  const why = {
    reason: 'NoCluster',
    message:
      `No cluster is available: project "${project}" allows no reachable cluster that accepts new virtual clusters. ` +
      'Connect a cluster, or allow one in the project. The instance is then scheduled automatically.',
  };
  const draft = new StatusDraft(object, dependencies.clock.now());
  draft.condition('Scheduled', 'False', why);
  draft.conclude('Pending', why);
  if (object.status?.reason !== why.reason) {
    dependencies.events.record(object, 'Warning', why.reason, why.message);
  }
  await writeStatus(dependencies.instances, object, draft, signal);
  return { againAfterMilliseconds: retryMilliseconds };
}
