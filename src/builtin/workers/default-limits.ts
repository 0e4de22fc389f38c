/** The default limits of worker threads. The settings can change them. */
export const defaultWorkerLimits = {
  /** A worker that does not return to its event loop for this time, in seconds, is replaced. */
  stallSeconds: 5,
  /** The maximum heap of one worker. */
  heapBytes: 2 * 1024 * 1024 * 1024,
} as const;
