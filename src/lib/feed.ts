/**
 * A stream of items for one reader, which takes whatever is available. Unlike an async iterable it allocates nothing
 * and awaits nothing per item, which matters when one change goes to a thousand readers.
 */
export interface Feed<T> {
  /** The next available item; `undefined` if there is none now. Throws the error of the feed, which then has ended. */
  take(): T | undefined;
  /** True once no more items will come and all were taken. */
  readonly isEnded: boolean;
  /**
   * Call when there was nothing to take: calls back once, later, when the reader should try again. There may still be
   * nothing to take then.
   */
  wait(wake: () => void): void;
  /** The reader leaves: the feed ends, and a waiting reader is woken. May be called repeatedly. */
  close(): void;
}

/** Turns a feed into an async iterator. Leaving the loop closes the feed, even during a wait. */
export function feedIterator<T>(feed: Feed<T>): AsyncIterator<T, undefined> {
  return {
    async next() {
      for (;;) {
        const value = feed.take();
        if (value !== undefined) return { done: false, value };
        if (feed.isEnded) return { done: true, value: undefined };
        await new Promise<void>((resolve) => feed.wait(resolve));
      }
    },
    async return() {
      feed.close();
      return { done: true, value: undefined };
    },
  };
}
