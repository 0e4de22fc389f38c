/** The limits of worker threads, unless the settings change them. */
export const defaultWorkerLimits = {
  /** A worker that does not return to its event loop for this time is replaced. */
  stallSeconds: 5,
  /** The maximum heap of one worker. */
  heapBytes: 2 * 1024 * 1024 * 1024,
} as const;
