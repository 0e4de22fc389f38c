/** The interval at which a replica replaces its heartbeat row. */
export const beatIntervalMs = 1_000;

/** The interval at which a replica reads the rows of all replicas. */
export const pollIntervalMs = 500;

/**
 * A replica does no background work if its last successful heartbeat is older than this. It is shorter than the silence after
 * which others expel it, so it has stopped before they continue its work.
 */
export const maxBeatAgeMs = 3_000;

/** A replica whose heartbeat row does not change for this time is expelled. The observer measures it on its monotonic clock. */
export const maxSilenceMs = 4_000;

/**
 * The longest time between two successful reads that counts as silence of the others. After a longer interruption, for
 * example an outage of the store, the observer starts to measure again, because no replica could write its heartbeat in that time.
 */
export const maxPollGapMs = 2_000;

/** The set of replicas must be unchanged for this time before a replica hands terms over to another one. */
export const handOverDelayMs = 10_000;
