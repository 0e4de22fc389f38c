/**
 * The reason in the status of a quarantined virtual cluster, and in the status of its instance. Both have the phase
 * Failed.
 */
export const quarantinedReason = 'Quarantined';
