/**
 * The number of bytes of one stream that may be on their way between two threads. A slow reader then fills the queue of
 * its watch, which ends the watch, instead of the memory of the main thread.
 */
export const streamWindowBytes = 32 * 1024;
