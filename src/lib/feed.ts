/**
 * A stream of items for one reader. The reader takes all items that are available. Unlike an async iterable, a feed
 * allocates and awaits nothing per item. This matters if one change is sent to a thousand readers.
 */
export interface Feed<T> {
  /**
   * Takes the next item; `undefined` if no item is available now. Throws if the feed failed; the feed has then ended.
   */
  take(): T | undefined;
  /** True if all items were taken and no further items will be added. */
  readonly isEnded: boolean;
  /**
   * Registers `wake`, which is called once, after `wait` has returned, when the reader should call `take` again. The
   * reader must call `wait` only after `take` has returned `undefined`. After `wake` is called, `take` may return
   * `undefined` again.
   */
  wait(wake: () => void): void;
  /**
   * Ends the feed, and wakes the reader if it is waiting. A reader calls this method to stop reading. Repeated calls
   * have no effect.
   */
  close(): void;
}

/** Converts a feed into an async iterator. Leaving the `for await` loop closes the feed. */
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
