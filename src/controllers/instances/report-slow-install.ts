import type { InstanceDependencies } from './instance-dependencies.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';
import { StatusDraft } from './status-draft.ts';
import { writeStatus } from './write-status.ts';

/**
 * Shorter installations do not set the phase Pending, which saves a write for each instance on the built-in cluster.
 */
const delayMs = 100;

/**
 * Sets the phase of a new instance to Pending if its installation takes longer than `delayMs`. The caller must call and
 * await the returned function before it writes anything else to the instance.
 */
export function reportSlowInstall(
  snapshot: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
): () => Promise<void> {
  const { object, cluster } = snapshot;
  if ((object.status?.phase ?? '') !== '') return async () => {};
  let reporting: Promise<void> | undefined;
  const cancel = dependencies.clock.after(delayMs, () => {
    const why = { reason: 'Installing', message: `Installing on cluster "${cluster}".` };
    const draft = new StatusDraft(object, dependencies.clock.now());
    draft.setCondition('VirtualClusterDeployed', 'False', why);
    draft.setPhase('Pending', why);
    // An error here is ignored, because the status write at the end of the reconcile reports the same store errors.
    reporting = writeStatus(dependencies.instances, object, draft, signal).catch(() => {});
  });
  return async () => {
    cancel();
    await reporting;
  };
}
