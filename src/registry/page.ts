import { type CachedObject, cacheObject } from './cached-object.ts';
import type { KindRuntime } from './kind-runtime.ts';
import type { Place } from './object-index.ts';
import { objectKey, objectsRange, resourceKey } from './rows.ts';
import { candidates, type Selection } from './selection.ts';

/** What is asked for: what follows `after`, at most `limit` objects (0: all). */
export interface PageRequest {
  readonly after?: Place;
  readonly limit: number;
}

export interface Page {
  readonly objects: readonly CachedObject[];
  /** The revision at which it is true. */
  readonly revision: number;
  /** Objects that would be shown follow. */
  readonly more: boolean;
  /** How many follow, where that may be told. */
  readonly remaining?: number;
}

/**
 * From the cache, as it is this moment. A page is full of objects that are shown (LIST-24), and one is looked for
 * beyond it, so that no token leads to an empty page.
 */
export function pageNow(kind: KindRuntime, selection: Selection, revision: number, request: PageRequest): Page {
  const objects: CachedObject[] = [];
  for (const object of candidates(kind, selection, request.after)) {
    if (!selection.everything && !selection.shows(object.served.object)) continue;
    if (request.limit > 0 && objects.length === request.limit) {
      if (!selection.everything) return { objects, revision, more: true };
      return { objects, revision, more: true, remaining: kind.cache.count(selection.namespace, objects.at(-1)) };
    }
    objects.push(object);
  }
  return { objects, revision, more: false };
}

/** Entries read from the store at a time where a selector decides how many are needed. */
const chunk = 500;

/** The same from history. Rejects with StoreError Expired or FutureRevision. */
export async function pageAt(
  kind: KindRuntime,
  selection: Selection,
  revision: number,
  request: PageRequest,
): Promise<Page> {
  const { resource, store, slice } = kind;
  const range = objectsRange(slice, resourceKey(resource), selection.namespace);
  const objects: CachedObject[] = [];
  let after = request.after;
  for (;;) {
    const result = await store.list(range, {
      atRevision: revision,
      ...(request.limit > 0 ? { limit: selection.everything ? request.limit : chunk } : {}),
      ...(after === undefined ? {} : { after: objectKey(slice, resourceKey(resource), after.namespace, after.name) }),
    });
    for (const { key, value, revision: written } of result.entries) {
      const [, , namespace = '', name = ''] = key.segments;
      after = { namespace, name };
      const object = cacheObject(resource, after, value, written);
      if (!selection.everything && !selection.shows(object.served.object)) continue;
      if (request.limit > 0 && objects.length === request.limit) return { objects, revision, more: true };
      objects.push(object);
    }
    if (result.remaining === 0) return { objects, revision, more: false };
    if (selection.everything && objects.length === request.limit) {
      return { objects, revision, more: true, remaining: result.remaining };
    }
  }
}
