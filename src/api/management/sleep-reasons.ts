/** `status.reason` of an instance that an annotation puts to sleep. It sleeps until the annotation is removed. */
export const sleepForcedReason = 'SleepForced';
/** `status.reason` of an instance that auto-sleep put to sleep after inactivity. Any use wakes the instance. */
export const sleepUnusedReason = 'NotUsed';
