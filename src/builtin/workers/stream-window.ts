/**
 * The maximum number of bytes of one stream in transit between two threads. With this limit, a slow reader fills the
 * queue of its watch, which ends the watch. Without it, a slow reader would fill the memory of the main thread.
 */
export const streamWindowBytes = 32 * 1024;
