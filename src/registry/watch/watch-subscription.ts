import { BoundedQueue } from '../../lib/queue/bounded-queue.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { Selection } from '../verbs/object-selection.ts';
import type { VerbContext } from '../verbs/verb-context.ts';
import type { WatchOptions } from '../verbs.ts';
import type { QueuedEvent } from './watch-stream.ts';

/** The interval of bookmarks, and the time of the last one before the end of the watch (rule WATCH-14). */
const bookmarkIntervalMs = 60_000;
const lastBookmarkBeforeEndMs = 2_000;

export interface WatchSubscription {
  readonly queue: BoundedQueue<QueuedEvent>;
  /** Ends the subscription at once. Idempotent. */
  end(): void;
}

/**
 * Queues the events of a watch from now on. It never waits for the reader: an overflow ends the watch, and the client
 * resumes or lists again (rule WATCH-32). The timeout, the caller's signal and the end of the kind end it too.
 * `onChange` is called whenever the queue received an event or ended.
 */
export function startWatchSubscription(
  { kind, context }: VerbContext,
  options: WatchOptions,
  selection: Selection,
  onChange: () => void,
): WatchSubscription {
  const { watchQueue, watchQueueSize } = kind.limits;
  const limit = { max: watchQueueSize, weightOf };
  const queue = new BoundedQueue<QueuedEvent>(watchQueue, { limit, onChange });
  const cleanups: (() => void)[] = [];
  const end = () => {
    queue.drop();
    for (const cleanup of cleanups.splice(0)) cleanup();
  };
  const tell = (queued: QueuedEvent) => {
    if (!queue.push(queued)) end();
  };
  cleanups.push(kind.subscribers.add(selection, { enqueue: tell, fail: end, ended: () => queue.end() }));
  cleanups.push(kind.clock.after(options.timeoutMilliseconds, end));
  context.signal.addEventListener('abort', end, { once: true });
  cleanups.push(() => context.signal.removeEventListener('abort', end));
  if (options.allowBookmarks) cleanups.push(sendBookmarks(kind, options, queue));
  if (context.signal.aborted) end();
  return { queue, end };
}

const weightOf = ({ size }: QueuedEvent) => size;

function sendBookmarks(kind: KindRuntime, options: WatchOptions, queue: BoundedQueue<QueuedEvent>): () => void {
  const bookmark = () => {
    Promise.resolve(kind.cache.freshRevision()).then(
      (fresh) => {
        // Every event up to here is already queued (WATCH-15). A bookmark that finds the queue full is skipped.
        const revision = Math.max(fresh, kind.cache.revision);
        queue.push({
          revision,
          size: 0,
          event: { type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd: false },
        });
      },
      () => {},
    );
  };
  let cancelNext = () => {};
  const schedule = () => {
    cancelNext = kind.clock.after(bookmarkIntervalMs, () => {
      bookmark();
      schedule();
    });
  };
  schedule();
  const lastBookmarkDelayMs = options.timeoutMilliseconds - lastBookmarkBeforeEndMs;
  const cancelLast = lastBookmarkDelayMs > 0 ? kind.clock.after(lastBookmarkDelayMs, bookmark) : () => {};
  return () => {
    cancelNext();
    cancelLast();
  };
}
