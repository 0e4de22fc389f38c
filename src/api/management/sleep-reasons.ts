/** The reasons that the status of an instance gives for its sleep. */
export const asleepByForce = 'SleepForced';
/** Nobody used it: whoever does wakes it. */
export const asleepByRest = 'NotUsed';
