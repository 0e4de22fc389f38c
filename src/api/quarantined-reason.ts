/** The reason in the status of a quarantined virtual cluster, and of its instance. Their phase is Failed. */
export const quarantinedReason = 'Quarantined';
