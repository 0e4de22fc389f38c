/**
 * The maximum number of bytes of one stream in transit between two threads. A slow reader then fills the queue of its
 * watch, which ends the watch, and does not fill the memory of the main thread.
 */
export const streamWindowBytes = 32 * 1024;
