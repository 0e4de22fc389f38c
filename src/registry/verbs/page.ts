import { WorkBudget } from '../../lib/work-budget.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { ObjectIndex, ObjectKey } from '../cache/object-index.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { objectRowKey, objectsRange, resourceKey } from '../rows/rows.ts';
import type { ObjectSelection } from './object-selection.ts';
import { candidateObjects } from './selection.ts';
import type { VerbContext } from './verb-context.ts';

/**
 * The parameters of a page. The page has at most `limit` objects (0 means all) and starts after the key `after` (absent
 * for the first page).
 */
export interface PageRequest {
  readonly after?: ObjectKey;
  readonly limit: number;
}

export interface ListPage {
  readonly objects: readonly CachedObject[];
  /** The store revision of the state that the page shows. */
  readonly revision: number;
  /** True if there are further objects that the caller may read. */
  readonly more: boolean;
  /** The number of further objects. Absent if a selector or permissions hide some objects. */
  readonly remaining?: number;
}

/**
 * The number of characters that a list reads before it lets other requests run. Reading this many characters takes a
 * few milliseconds.
 */
const charactersPerSlot = 256 * 1024;

/**
 * Returns a page of the objects in the cache at the time of the call. A page contains only objects that match the
 * selection (LIST-24). After a full page, the search continues until one more match is found, so that a continue token
 * never leads to an empty page. A long search is spread over several event loop ticks.
 */
export async function currentPage(
  { kind, context }: VerbContext,
  selection: ObjectSelection,
  revision: number,
  request: PageRequest,
): Promise<ListPage> {
  if (selection.matchesAll) return unfilteredPage(kind, selection, revision, request);
  const objects: CachedObject[] = [];
  const work = new WorkBudget(charactersPerSlot, context.nextTimeSlice);
  for (const candidate of candidateObjects(kind, selection, request.after)) {
    if (work.spend(selection.cost(candidate))) {
      await work.next();
      if (context.isCanceled?.() ?? context.signal.aborted) throw context.signal.reason;
    }
    if (!selection.matches(candidate)) continue;
    if (request.limit > 0 && objects.length === request.limit) return { objects, revision, more: true };
    objects.push(candidate);
  }
  return { objects, revision, more: false };
}

function unfilteredPage(
  kind: KindRuntime,
  selection: ObjectSelection,
  revision: number,
  request: PageRequest,
): ListPage {
  const { after, limit } = request;
  if (limit === 0) return { objects: candidateObjects(kind, selection, after), revision, more: false };
  const objects = candidateObjects(kind, selection, after, limit);
  const remaining = objects.length < limit ? 0 : kind.cache.count(selection.namespace, objects.at(-1));
  return remaining === 0 ? { objects, revision, more: false } : { objects, revision, more: true, remaining };
}

/**
 * The number of rows that a list with a limit reads from the store at a time, if a selector or permissions may hide
 * some rows.
 */
const chunkSize = 500;

/**
 * Returns a page of the objects as they were at a store revision. Rejects with StoreError Expired or FutureRevision if
 * the store cannot read this revision.
 */
export async function pageAtRevision(
  kind: KindRuntime,
  selection: ObjectSelection,
  revision: number,
  request: PageRequest,
): Promise<ListPage> {
  const { resource, store, slice } = kind;
  const state = await kind.cache.stateAt(revision);
  if (state !== undefined) return pageOf(state, selection, revision, request);
  const range = objectsRange(slice, resourceKey(resource), selection.namespace);
  const objects: CachedObject[] = [];
  let after = request.after;
  for (;;) {
    const result = await store.list(range, {
      atRevision: revision,
      ...(request.limit > 0 ? { limit: selection.matchesAll ? request.limit : chunkSize } : {}),
      ...(after === undefined
        ? {}
        : { after: objectRowKey(slice, resourceKey(resource), after.namespace, after.name) }),
    });
    for (const { key, value, revision: written } of result.entries) {
      const [, , namespace = '', name = ''] = key.segments;
      after = { namespace, name };
      const object = kind.cache.historicalObject(after, value, written);
      if (!selection.matchesAll && !selection.matches(object)) continue;
      if (request.limit > 0 && objects.length === request.limit) return { objects, revision, more: true };
      objects.push(object);
    }
    if (result.remaining === 0) return { objects, revision, more: false };
    if (selection.matchesAll && objects.length === request.limit) {
      return { objects, revision, more: true, remaining: result.remaining };
    }
  }
}

function pageOf(
  state: ObjectIndex<CachedObject>,
  selection: ObjectSelection,
  revision: number,
  { after, limit }: PageRequest,
): ListPage {
  const following = state.take(selection.namespace, after);
  const matching = selection.matchesAll ? following : following.filter((object) => selection.matches(object));
  if (limit === 0 || matching.length <= limit) return { objects: matching, revision, more: false };
  const objects = matching.slice(0, limit);
  return selection.matchesAll
    ? { objects, revision, more: true, remaining: matching.length - limit }
    : { objects, revision, more: true };
}
