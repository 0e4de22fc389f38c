import type { Condition } from '../conditions.ts';

/**
 * The `status.reason` of an instance that an annotation puts to sleep. The instance sleeps until the annotation is
 * removed.
 */
export const sleepForcedReason = 'SleepForced';
/** The `status.reason` of an instance that auto-sleep put to sleep after inactivity. Any use wakes the instance. */
export const sleepUnusedReason = 'NotUsed';

/**
 * The type of the condition about the data of a sleeping virtual cluster. The condition is absent if sleep keeps the
 * data, or if the virtual cluster has never been asked to sleep.
 */
export const sleepKeepsDataCondition = 'SleepKeepsData';
/**
 * The reason of the condition `SleepKeepsData` if the server did not put the virtual cluster to sleep, because its data
 * would be lost.
 */
export const sleepRefusedReason = 'SleepRefused';
/**
 * The reason of the condition `SleepKeepsData` if auto-sleep is due soon but will not happen, because the data would be
 * lost.
 */
export const sleepWouldLoseDataReason = 'SleepWouldLoseData';
/** The reason of the condition `SleepKeepsData` if a sleep has deleted the data of the virtual cluster. */
export const dataLostReason = 'DataLost';

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * Returns the condition of an instance that the server refuses to put to sleep; `undefined` for all other instances.
 */
export function sleepRefusal({ status }: WithConditions): Condition | undefined {
  return status?.conditions?.find(
    ({ type, reason }) => type === sleepKeepsDataCondition && reason === sleepRefusedReason,
  );
}

/** True if the server has refused to put the instance to sleep, or will refuse when auto-sleep is due. */
export function isAutoSleepRefused({ status }: WithConditions): boolean {
  const refusals: readonly (string | undefined)[] = [sleepRefusedReason, sleepWouldLoseDataReason];
  return (
    status?.conditions?.some(({ type, reason }) => type === sleepKeepsDataCondition && refusals.includes(reason)) ===
    true
  );
}

export function isSleepRefused(instance: WithConditions): boolean {
  return sleepRefusal(instance) !== undefined;
}
