import { sleepUnusedReason } from '../../api/management/sleep-reasons.ts';
import type { InstanceDependencies } from './instance-dependencies.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';
import { type SleepMode, sleepModeOf } from './sleep-mode.ts';

/**
 * Computes the sleep mode at the current time. If the instance seems to be unused, this function also considers uses
 * that other replicas have observed. Otherwise an instance in use could be put to sleep or deleted.
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
