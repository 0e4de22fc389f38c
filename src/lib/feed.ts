/**
 * What comes as it happens, for one reader who takes whatever is there. Unlike an async iterable it makes nothing and
 * waits for nothing per item, which counts where one change goes to a thousand readers.
 */
export interface Feed<T> {
  /** The next one that is there; undefined: nothing right now. Throws what went wrong, after which it is over. */
  take(): T | undefined;
  /** True once nothing more will come and all that came has been taken. */
  readonly over: boolean;
  /**
   * To be called when there was nothing to take: calls back once, later, when it is worth looking again. That may be
   * for nothing.
   */
  wait(wake: () => void): void;
  /** The reader leaves: it is over, and who waits is called. May be called again. */
  close(): void;
}

/** The same for a reader who takes one at a time. Leaving the loop closes the feed, also in the middle of a wait. */
export function feedIterator<T>(feed: Feed<T>): AsyncIterator<T, undefined> {
  return {
    async next() {
      for (;;) {
        const value = feed.take();
        if (value !== undefined) return { done: false, value };
        if (feed.over) return { done: true, value: undefined };
        await new Promise<void>((resolve) => feed.wait(resolve));
      }
    },
    async return() {
      feed.close();
      return { done: true, value: undefined };
    },
  };
}
