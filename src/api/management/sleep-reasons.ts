/** The reasons for sleep in the status of an instance. */
export const sleepForcedReason = 'SleepForced';
/** Auto-sleep after inactivity. Any use wakes the instance. */
export const sleepUnusedReason = 'NotUsed';
