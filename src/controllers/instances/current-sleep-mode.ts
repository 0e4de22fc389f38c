import { sleepUnusedReason } from '../../api/management/sleep-reasons.ts';
import type { InstanceDependencies } from './instance-dependencies.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';
import { type SleepMode, sleepModeOf } from './sleep-mode.ts';

/**
 * Computes the sleep mode at the current time. If the instance seems to be unused, includes the uses that other
 * replicas have observed, so an instance that is in use is not put to sleep or deleted.
 */
export async function currentSleepMode(
  snapshot: InstanceSnapshot,
  { activity, clock }: Pick<InstanceDependencies, 'activity' | 'clock'>,
): Promise<{ readonly sleepMode: SleepMode; readonly now: number }> {
  const now = clock.now();
  const compute = () => sleepModeOf(snapshot, activity.lastActivity(snapshot.uid), now);
  const sleepMode = compute();
  const isUnused = sleepMode.isExpired || sleepMode.sleepReason === sleepUnusedReason;
  if (!isUnused || activity.refresh === undefined) return { sleepMode, now };
  await activity.refresh(snapshot.uid);
  return { sleepMode: compute(), now };
}
