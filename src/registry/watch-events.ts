import type { CachedChange } from './cached-object.ts';
import type { Selection } from './selection.ts';
import type { ObjectEvent, Served, SharedWork } from './verbs.ts';

type EventType = ObjectEvent['type'];

/**
 * What a change is to somebody who sees only a selection. What counts is whether the object was shown before and is
 * shown after; one that leaves the selection is gone for that watcher, and is told with its last content that was
 * shown (rules WATCH-20 to WATCH-23). What the caller may not read is treated like what a selector leaves out.
 */
export function eventTypeFor(selection: Selection, change: CachedChange): EventType | undefined {
  if (selection.namespace !== undefined && change.namespace !== selection.namespace) return undefined;
  if (selection.name !== undefined && change.name !== selection.name) return undefined;
  const { before, after } = change;
  const was = before !== undefined && isShown(selection, before);
  const is = after !== undefined && isShown(selection, after);
  if (is) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
}

/** To be served as its text an object need not be decoded, and most watches ask for all there are. */
function isShown(selection: Selection, candidate: Served): boolean {
  return selection.everything || selection.shows(candidate.object);
}

export function eventOf(change: CachedChange, type: EventType, shared: boolean): ObjectEvent | undefined {
  const object = type === 'DELETED' ? change.departed() : change.after;
  if (object === undefined) return undefined;
  return shared ? { type, object, shared: newSharedWork() } : { type, object };
}

export function newSharedWork(): SharedWork {
  return { lines: new Map(), turned: new Map() };
}
