import { asleepByForce } from '../../api/management/sleep-reasons.ts';
import { sleepAfterAnnotation, sleepForceAnnotation } from '../../api/naming.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import { textAt } from '../../lib/json-path.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import type { SleepMode } from './sleep-mode.ts';
import type { Why } from './status-draft.ts';

/**
 * Puts the virtual cluster to sleep or wakes it, and tells what it is then. Nobody wakes what somebody else put to sleep:
 * an imported one stays as it was found.
 */
export async function sleepStep(
  host: Host,
  facts: InstanceFacts,
  observed: HostedVirtualCluster,
  { asleep }: SleepMode,
  needs: InstanceNeeds,
  signal: AbortSignal,
): Promise<HostedVirtualCluster | undefined> {
  const { object, place, external, uid } = facts;
  if (external || observed.phase === 'Removing') return observed;
  const sleeps = observed.phase === 'Sleeping';
  if (sleeps === (asleep !== undefined)) return observed;
  if (asleep === undefined) {
    const isOurs = observed.owner === uid || textAt(object, 'status', 'phase') === 'Sleeping';
    if (!isOurs) return observed;
    await host.wake(place, { signal });
    needs.events.record(object, 'Normal', 'Woken', 'The virtual cluster is awake again.');
  } else {
    await host.sleep(place, { signal });
    needs.events.record(object, 'Normal', asleep, sleepWords(asleep).message);
  }
  return await host.observe(place, { signal });
}

/** Why it sleeps, and how it is woken. */
export function sleepWords(asleep: SleepMode['asleep']): Why {
  if (asleep === asleepByForce) {
    const message = `Asleep, as the annotation ${sleepForceAnnotation} asks; nothing in it is lost. Take the annotation away to wake it.`;
    return { reason: asleep, message };
  }
  if (asleep !== undefined) {
    const message = `Asleep, as nobody has used it for as long as the annotation ${sleepAfterAnnotation} says; nothing in it is lost. The next request wakes it.`;
    return { reason: asleep, message };
  }
  return { reason: 'AsleepOnHost', message: 'Asleep; it was put to sleep on its cluster, and is to be woken there.' };
}
