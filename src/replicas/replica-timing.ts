/** The interval at which a replica replaces its heartbeat row. */
export const beatIntervalMs = 1_000;

/** The interval at which a replica reads the rows of all replicas. */
export const pollIntervalMs = 500;

/**
 * The maximum age of the last successful heartbeat of a replica that does background work. The limit is shorter than
 * `maxSilenceMs`, after which other replicas expel the replica. The replica has therefore stopped its work before
 * others continue it.
 */
export const maxBeatAgeMs = 3_000;

/**
 * The time after which a replica is expelled if its heartbeat row does not change. Each observing replica measures this
 * time on its own monotonic clock.
 */
export const maxSilenceMs = 4_000;

/**
 * The longest time between two successful reads that counts as silence of the replicas that are observed. After a
 * longer interruption, for example an outage of the store, the observer starts to measure again, because no replica
 * could write its heartbeat in that time.
 */
export const maxPollGapMs = 2_000;

/** The time for which the set of replicas must be unchanged before a replica hands terms over to another replica. */
export const handOverDelayMs = 10_000;
