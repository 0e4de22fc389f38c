import { asleepByForce } from '../../api/management/sleep-reasons.ts';
import { sleepAfterAnnotation, sleepForceAnnotation } from '../../api/naming.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import type { SleepMode } from './sleep-mode.ts';
import type { Why } from './status-draft.ts';

/**
 * Puts the virtual cluster to sleep or wakes it, and returns its state afterwards. An imported virtual cluster that was
 * already asleep stays asleep: the server wakes only what it put to sleep.
 */
export async function sleepStep(
  host: Host,
  snapshot: InstanceFacts,
  observed: HostedVirtualCluster,
  { asleep }: SleepMode,
  dependencies: InstanceNeeds,
  signal: AbortSignal,
): Promise<HostedVirtualCluster | undefined> {
  const { object, place, external, uid } = snapshot;
  if (external || observed.phase === 'Removing') return observed;
  const isSleeping = observed.phase === 'Sleeping';
  if (isSleeping === (asleep !== undefined)) return observed;
  if (asleep === undefined) {
    const isManagedSleep = observed.owner === uid || object.status?.phase === 'Sleeping';
    if (!isManagedSleep) return observed;
    await host.wake(place, { signal });
    dependencies.events.record(object, 'Normal', 'Woken', 'Woke the virtual cluster.');
  } else {
    await host.sleep(place, { signal });
    dependencies.events.record(object, 'Normal', asleep, sleepWords(asleep).message);
  }
  return await host.observe(place, { signal });
}

/** The reason why an instance sleeps, with a message that tells how to wake it. */
export function sleepWords(asleep: SleepMode['asleep']): Why {
  if (asleep === asleepByForce) {
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
