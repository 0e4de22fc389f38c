import type { Status } from '../../api/status.ts';
import { BoundedQueue } from '../../lib/queue/bounded-queue.ts';
import { onCancel } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { ObjectSelection } from '../verbs/object-selection.ts';
import type { VerbContext } from '../verbs/verb-context.ts';
import type { WatchOptions } from '../verbs.ts';
import type { QueuedEvent } from './watch-stream.ts';

/** A bookmark is sent every minute, and a last one two seconds before the timeout of the watch (rule WATCH-14). */
const bookmarkIntervalMs = 60_000;
const lastBookmarkBeforeEndMs = 2_000;

export interface WatchSubscription {
  readonly queue: BoundedQueue<QueuedEvent>;
  /** Ends the subscription immediately. May be called several times. */
  end(): void;
}

/**
 * Starts to queue all events of a watch that occur after this call, without waiting for the reader. If the queue
 * overflows, the watch ends and the client must resume it or list again (rule WATCH-32). The watch also ends on
 * timeout, if the request is aborted, or if the kind is closed. Throws 429 if the selectors of open watches are too
 * long. `onChange` is called after each queued event and at the end.
 */
export function startWatchSubscription(
  { kind, context }: VerbContext,
  options: WatchOptions,
  selection: ObjectSelection,
  onChange: () => void,
): WatchSubscription {
  const releaseSelectors = kind.planeCallbacks.selectorBudget?.reserve(options);
  const { watchQueue, watchQueueSize } = kind.limits;
  const limit = { max: watchQueueSize, weightOf };
  const queue = new BoundedQueue<QueuedEvent>(watchQueue, { limit, onChange });
  const cleanups: (() => void)[] = [];
  const end = () => {
    queue.drop();
    for (const cleanup of cleanups.splice(0)) cleanup();
  };
  const enqueue = (queued: QueuedEvent) => {
    if (!queue.push(queued)) end();
  };
  if (releaseSelectors !== undefined) cleanups.push(releaseSelectors);
  const ended = (failure?: Status) => {
    if (failure !== undefined) enqueue({ revision: afterAll, size: 0, event: { type: 'ERROR', status: failure } });
    queue.end();
  };
  cleanups.push(kind.subscribers.add(selection, { enqueue, fail: end, ended }));
  cleanups.push(kind.clock.after(options.timeoutMilliseconds, end));
  if (options.allowBookmarks) cleanups.push(sendBookmarks(kind, options, queue));
  cleanups.push(onCancel(context, end));
  return { queue, end };
}

/** The revision of an event that must be sent after all others. */
const afterAll = Number.POSITIVE_INFINITY;

const weightOf = ({ size }: QueuedEvent) => size;

function sendBookmarks(kind: KindRuntime, options: WatchOptions, queue: BoundedQueue<QueuedEvent>): () => void {
  const bookmark = () => {
    Promise.resolve(kind.cache.freshRevision()).then(
      (fresh) => {
        // All events up to this revision are already queued, so the bookmark is correct (WATCH-15). If the queue is
        // full, the bookmark is dropped.
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
