/** The interval at which a replica replaces its heartbeat row. */
export const beatIntervalMs = 1_000;

/** The interval at which a replica reads the rows of all replicas. */
export const pollIntervalMs = 500;

/**
 * A replica does no background work if its last successful heartbeat is older than this. The limit is shorter than
 * `maxSilenceMs`, after which other replicas expel it, so the replica has stopped before others continue its work.
 */
export const maxBeatAgeMs = 3_000;

/**
 * A replica whose heartbeat row does not change for this time is expelled. The replica that observes it measures the
 * time on its own monotonic clock.
 */
export const maxSilenceMs = 4_000;

/**
 * The longest time between two successful reads that is counted as silence of other replicas. After a longer
 * interruption, for example an outage of the store, the observer starts to measure again, because no replica could
 * write its heartbeat in that time.
 */
export const maxPollGapMs = 2_000;

/** The set of replicas must be unchanged for this time before a replica hands terms over to another one. */
export const handOverDelayMs = 10_000;
