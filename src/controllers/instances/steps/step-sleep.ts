import { sleepForcedReason } from '../../../api/management/sleep-reasons.ts';
import { sleepAfterAnnotation, sleepForceAnnotation } from '../../../api/naming.ts';
import type { HostedVirtualCluster } from '../../../hosts/host.ts';
import type { SleepMode } from '../sleep-mode.ts';
import type { StatusReason } from '../status-draft.ts';
import type { HostStepContext } from './step-context.ts';

/**
 * Puts the virtual cluster to sleep or wakes it, and returns its state afterwards. The server wakes only a virtual
 * cluster that it put to sleep. An imported virtual cluster that already slept stays asleep.
 */
export async function sleepStep(
  { host, snapshot, dependencies, signal }: HostStepContext,
  observed: HostedVirtualCluster,
  { sleepReason }: SleepMode,
): Promise<HostedVirtualCluster | undefined> {
  const { object, location, external, uid } = snapshot;
  if (external || observed.phase === 'Removing') return observed;
  const isSleeping = observed.phase === 'Sleeping';
  if (isSleeping === (sleepReason !== undefined)) return observed;
  if (sleepReason === undefined) {
    const isManagedSleep = observed.owner === uid || object.status?.phase === 'Sleeping';
    if (!isManagedSleep) return observed;
    await host.wake(location, { signal });
    dependencies.events.record(object, 'Normal', 'Woken', 'Woke the virtual cluster.');
  } else {
    await host.sleep(location, { signal });
    dependencies.events.record(object, 'Normal', sleepReason, sleepStatusReason(sleepReason).message);
  }
  return await host.observe(location, { signal });
}

/** Returns the reason why an instance sleeps. Its message tells users how to wake the virtual cluster. */
export function sleepStatusReason(asleep: SleepMode['sleepReason']): StatusReason {
  if (asleep === sleepForcedReason) {
    const message = `Sleeping because the annotation ${sleepForceAnnotation} is set. All data is kept. Remove the annotation to wake the virtual cluster.`;
    return { reason: asleep, message };
  }
  if (asleep !== undefined) {
    const message = `Sleeping because it was not used for the period in the annotation ${sleepAfterAnnotation}. All data is kept. The next request wakes it.`;
    return { reason: asleep, message };
  }
  return {
    reason: 'AsleepOnHost',
    message: 'Sleeping. It was put to sleep on its host cluster and must be woken there.',
  };
}
