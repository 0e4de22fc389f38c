import { badRequest, expired } from '../api/status.ts';
import { StoreError } from '../store/store-error.ts';
import type { RequestContext } from './context.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { validateWatchOptions } from './list-options.ts';
import { awaitRevision, parseRevision, type WantedRevision } from './resource-version.ts';
import { candidates, type Selection, selectionOf } from './selection.ts';
import { toStatusError } from './store-status.ts';
import type { WatchEvent, WatchOptions, WatchStream } from './verbs.ts';
import { eventFor } from './watch-events.ts';
import { type Opening, watchStream } from './watch-stream.ts';
import { startWatcher } from './watcher.ts';

/**
 * First subscribes, then reads what came before, then leaves out of the subscription what was read: nothing is
 * missed and nothing told twice. Errors of the request itself are thrown; what the state of the store brings about
 * (too old, not there yet) is an ERROR event.
 */
export async function watch(kind: KindRuntime, context: RequestContext, options: WatchOptions): Promise<WatchStream> {
  validateWatchOptions(options);
  const selection = selectionOf(kind, context, options);
  const text = options.resourceVersion;
  const wanted = parseRevision(text, (detail) =>
    badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${detail}`),
  );
  const now = await kind.cache.fresh();
  const { queue, end } = startWatcher(kind, context, options, selection);
  const initial = options.sendInitialEvents ?? (wanted === undefined || wanted === 0);
  const opening = initial
    ? openWithState(kind, context, options, selection, wanted ?? 0)
    : openWithChanges(kind, selection, wanted ?? 0);
  try {
    // Only a revision that is not there yet may keep the client waiting behind an answer that has begun.
    if (!initial || now >= (wanted ?? 0)) await opening;
  } catch (error) {
    end();
    throw error;
  }
  opening.catch(() => {});
  return watchStream({ opening, queue, end });
}

/** WATCH-06 to WATCH-09: what is there, each as ADDED, in the order of lists, then the bookmark that says so. */
async function openWithState(
  kind: KindRuntime,
  context: RequestContext,
  options: WatchOptions,
  selection: Selection,
  wanted: WantedRevision,
): Promise<Opening> {
  const now = await awaitRevision(kind, wanted, context.signal);
  const revision = Math.max(now, kind.cache.revision);
  const events: WatchEvent[] = [];
  for (const { served } of candidates(kind, selection)) {
    if (selection.shows(served.object)) events.push({ type: 'ADDED', object: served });
  }
  if (options.allowBookmarks) {
    events.push({ type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd: true });
  }
  return { events, revision };
}

/** WATCH-05, WATCH-07, WATCH-17, WATCH-19: what happened after that revision; without one, from now on. */
async function openWithChanges(kind: KindRuntime, selection: Selection, wanted: WantedRevision): Promise<Opening> {
  const upTo = kind.cache.revision;
  if (wanted === 0) return { events: [], revision: upTo };
  const since = Number(wanted);
  const events = changeEvents(kind, selection, since, upTo);
  // Reads the first piece: what is wrong with the store is known before the answer begins.
  const first = await events.next();
  return { events: first.done === true ? [] : startingWith(first.value, events), revision: Math.max(since, upTo) };
}

async function* changeEvents(
  kind: KindRuntime,
  selection: Selection,
  since: number,
  upTo: number,
): AsyncGenerator<WatchEvent, undefined> {
  try {
    for await (const changes of kind.cache.changesSince(since, upTo)) {
      for (const change of changes) {
        const event = eventFor(selection, change);
        if (event !== undefined) yield event;
      }
    }
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'Expired') throw toStatusError(error);
    const status = expired(`too old resource version: ${since} (${error.detail ?? 0})`).status;
    yield { type: 'ERROR', status };
  }
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
