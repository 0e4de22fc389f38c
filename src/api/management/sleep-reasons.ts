import type { Condition } from '../conditions.ts';

/** `status.reason` of an instance that an annotation puts to sleep. It sleeps until the annotation is removed. */
export const sleepForcedReason = 'SleepForced';
/** `status.reason` of an instance that auto-sleep put to sleep after inactivity. Any use wakes the instance. */
export const sleepUnusedReason = 'NotUsed';

/**
 * The type of the condition about the data of a virtual cluster that sleeps. It is absent if sleep keeps the data, or if the
 * virtual cluster was never to sleep.
 */
export const sleepKeepsDataCondition = 'SleepKeepsData';
/** The reason of that condition if the server did not put the virtual cluster to sleep, because its data would be lost. */
export const sleepRefusedReason = 'SleepRefused';
/** The reason of that condition if auto-sleep is due soon, and will not happen, because the data would be lost. */
export const sleepWouldLoseDataReason = 'SleepWouldLoseData';
/** The reason of that condition if a sleep has deleted the data of the virtual cluster. */
export const dataLostReason = 'DataLost';

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Returns the condition of an instance that the server refuses to put to sleep; `undefined` for others. */
export function sleepRefusal({ status }: WithConditions): Condition | undefined {
  return status?.conditions?.find(
    ({ type, reason }) => type === sleepKeepsDataCondition && reason === sleepRefusedReason,
  );
}

/** True if the server does not put the instance to sleep, or will not do so when auto-sleep is due. */
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
