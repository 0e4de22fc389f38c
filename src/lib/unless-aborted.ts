/**
 * Settles like `work`, or rejects with the signal's reason if `signal` is aborted first. Does not stop the work itself.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // The caller no longer waits for the work, so no other code would handle a rejection of `work`.
  if (signal.aborted) work.catch(() => {});
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
