import { badRequest, expired } from '../../api/status.ts';
import { StoreError } from '../../store/store-error.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { toStatusError } from '../store-status.ts';
import { validateWatchOptions } from '../verbs/list-options.ts';
import type { ObjectSelection } from '../verbs/object-selection.ts';
import { currentPage } from '../verbs/page.ts';
import { awaitRevision, parseRevision, type RequestedRevision } from '../verbs/resource-version.ts';
import { createSelection } from '../verbs/selection.ts';
import type { VerbContext } from '../verbs/verb-context.ts';
import type { WatchEvent, WatchOptions, WatchStream } from '../verbs.ts';
import { createWatchEvent, eventTypeFor } from './watch-events.ts';
import { CacheWatchStream, type WatchBacklog } from './watch-stream.ts';
import { startWatchSubscription } from './watch-subscription.ts';

/**
 * Starts a watch. The watch subscribes to changes before it reads the backlog, and later skips queued events that the
 * backlog contains. No event is therefore lost or sent twice. Throws if the request is invalid. If the requested
 * revision is too old, or is not reached in time, the stream contains an ERROR event.
 */
export async function watch(kind: KindRuntime, context: RequestContext, options: WatchOptions): Promise<WatchStream> {
  validateWatchOptions(options);
  const verb: VerbContext = { kind, context };
  const selection = createSelection(kind, context, options);
  const text = options.resourceVersion;
  const wanted = parseRevision(text, (detail) =>
    badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${detail}`),
  );
  const now = await kind.cache.freshRevision(context.freshRevision);
  let stream: CacheWatchStream | undefined;
  const { queue, end } = startWatchSubscription(verb, options, selection, () => stream?.notify());
  const initial = options.sendInitialEvents ?? (wanted === undefined || wanted === 0);
  const opening = initial
    ? openWithState(verb, options, selection, wanted === 0 ? undefined : wanted)
    : openWithChanges(kind, selection, wanted ?? 0);
  try {
    // The response starts after the first part of the backlog was read. The only exception is a watch with initial
    // events whose revision does not exist yet: its response starts at once.
    if (!initial || now >= (wanted ?? 0)) await opening;
  } catch (error) {
    end();
    throw error;
  }
  opening.catch(() => {});
  stream = new CacheWatchStream({
    backlog: opening,
    queue,
    end,
    scheduleWake: (wake) => kind.subscribers.scheduleWake(wake),
  });
  return stream;
}

/**
 * Returns the current objects as ADDED events in list order, followed by a bookmark if the client allows bookmarks
 * (WATCH-06 to WATCH-09).
 */
async function openWithState(
  verb: VerbContext,
  options: WatchOptions,
  selection: ObjectSelection,
  wanted: RequestedRevision | undefined,
): Promise<WatchBacklog> {
  const { kind, context } = verb;
  const now = await awaitRevision(kind, wanted, context);
  const revision = Math.max(now, kind.cache.revision);
  const { objects } = await currentPage(verb, selection, revision, { limit: 0 });
  const events: WatchEvent[] = objects.map((object) => ({ type: 'ADDED', object }));
  if (options.allowBookmarks) {
    events.push({ type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd: true });
  }
  return { events, revision };
}

/**
 * Returns the changes after the requested revision (WATCH-05, WATCH-07, WATCH-17, WATCH-19). Revision 0 means that the
 * watch starts now, with an empty backlog.
 */
async function openWithChanges(
  kind: KindRuntime,
  selection: ObjectSelection,
  wanted: RequestedRevision,
): Promise<WatchBacklog> {
  const upTo = kind.cache.revision;
  if (wanted === 0) return { events: [], revision: upTo };
  const since = Number(wanted);
  const more = changeEvents(kind, selection, since, upTo);
  // Reads the first chunk now, so that an error of the store can still become the response to the request.
  const first = await more.next();
  const revision = Math.max(since, upTo);
  return first.done === true ? { events: [], revision } : { events: first.value, rest: more, revision };
}

async function* changeEvents(
  kind: KindRuntime,
  selection: ObjectSelection,
  since: number,
  upTo: number,
): AsyncGenerator<readonly WatchEvent[], undefined> {
  try {
    for await (const changes of kind.cache.changesSince(since, upTo)) {
      yield changes.flatMap((change) => {
        const type = eventTypeFor(selection, change);
        return (type && createWatchEvent(change, type, false)) ?? [];
      });
    }
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'Expired') throw toStatusError(error);
    const status = expired(`too old resource version: ${since} (${error.detail ?? 0})`).status;
    yield [{ type: 'ERROR', status }];
  }
  return undefined;
}
