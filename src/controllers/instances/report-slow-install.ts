import { notReconciledReason } from '../../api/management/initial-status.ts';
import type { InstanceDependencies } from './instance-dependencies.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';
import { StatusDraft } from './status-draft.ts';
import { writeStatus } from './write-status.ts';

/**
 * Installations that take less than this number of milliseconds are not reported. This saves a status write for each
 * instance on the built-in cluster.
 */
const delayMs = 100;

/**
 * Reports in the status of a new instance that it is being installed, if this takes longer than `delayMs`. The caller
 * must call and await the returned function before it writes anything else to the instance.
 */
export function reportSlowInstall(
  snapshot: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
): () => Promise<void> {
  const { object, cluster } = snapshot;
  const { phase = '', reason } = object.status ?? {};
  if (phase !== '' && reason !== notReconciledReason) return async () => {};
  let reporting: Promise<void> | undefined;
  const cancel = dependencies.clock.after(delayMs, () => {
    const why = { reason: 'Installing', message: `Installing on cluster "${cluster}".` };
    const draft = new StatusDraft(object, dependencies.clock.now());
    draft.setInstalled('False', why);
    draft.setPhase('Pending', why);
    // An error here is ignored, because the status write at the end of the reconcile reports the same store errors.
    reporting = writeStatus(dependencies.instances, object, draft, signal).catch(() => {});
  });
  return async () => {
    cancel();
    await reporting;
  };
}
