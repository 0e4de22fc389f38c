import type { CachedChange, CachedObject } from '../cache/cached-object.ts';
import type { ObjectSelection } from '../verbs/object-selection.ts';
import type { ObjectEvent, SharedEventCache } from '../verbs.ts';

type EventType = ObjectEvent['type'];

/**
 * Returns the event type that a change has for a watch; `undefined` if the watch gets no event. The type depends on
 * whether the selection matches the object before and after the change. If an object no longer matches, the watch gets
 * DELETED with the last matching content (rules WATCH-20 to WATCH-23). Objects that the caller may not read do not
 * match.
 */
export function eventTypeFor(selection: ObjectSelection, change: CachedChange): EventType | undefined {
  if (selection.namespace !== undefined && change.namespace !== selection.namespace) return undefined;
  if (selection.name !== undefined && change.name !== selection.name) return undefined;
  const { before, after } = change;
  const was = before !== undefined && isShown(selection, before);
  const is = after !== undefined && isShown(selection, after);
  if (is) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
}

/** True if the selection matches the object. If it matches all objects, the object need not be decoded. */
function isShown(selection: ObjectSelection, candidate: CachedObject): boolean {
  return selection.matchesAll || selection.matchesDecoded(candidate);
}

export function createWatchEvent(change: CachedChange, type: EventType, shared: boolean): ObjectEvent | undefined {
  const object = type === 'DELETED' ? change.deletedObject() : change.after;
  if (object === undefined) return undefined;
  return shared ? { type, object, shared: newSharedEventCache() } : { type, object };
}

export function newSharedEventCache(): SharedEventCache {
  return { lines: new Map(), mapped: new Map() };
}
