import { Turns } from '../lib/turns.ts';
import type { CachedChange } from './cached-object.ts';
import type { Selection } from './selection.ts';
import type { ObjectEvent } from './verbs.ts';
import type { CacheListener } from './watch-cache.ts';
import { eventOf, eventTypeFor } from './watch-events.ts';
import type { Queued } from './watch-stream.ts';

/** Who is told of the changes of a kind. Must be quick and must not throw. */
export interface Told {
  tell(queued: Queued): void;
  /** What this one may see cannot be told. */
  fail(): void;
  /** Nothing more will come. */
  ended(): void;
}

interface Group {
  readonly selection: Selection;
  readonly members: Set<Told>;
}

/** Readers woken in one turn of the event loop: to write to so many takes a millisecond or two. */
const readersPerTurn = 32;

/**
 * The watchers of one kind. Those that see the same are one group, which is asked once per change; and whoever is told
 * of a change as the same type is handed the same event, whatever group they are in.
 */
export class WatchGroups implements CacheListener {
  readonly #groups = new Map<unknown, Group>();
  readonly #turns = new Turns(readersPerTurn);
  #ended = false;

  /** From this moment on. Returns how to leave. */
  add(selection: Selection, watcher: Told): () => void {
    if (this.#ended) {
      watcher.ended();
      return () => {};
    }
    const key = selection.text() ?? watcher;
    const group = this.#groups.get(key) ?? { selection, members: new Set() };
    this.#groups.set(key, group);
    group.members.add(watcher);
    return () => {
      if (group.members.delete(watcher) && group.members.size === 0) this.#groups.delete(key);
    };
  }

  /** Calls back in the reader's turn, with everything else that goes on in between: many readers are many writes. */
  inTurn(wake: () => void): void {
    this.#turns.add(wake);
  }

  changed(change: CachedChange): void {
    const made = new Map<ObjectEvent['type'], Queued | undefined>();
    for (const { selection, members } of this.#groups.values()) {
      try {
        const type = eventTypeFor(selection, change);
        if (type === undefined) continue;
        if (!made.has(type)) made.set(type, this.#queued(change, type, members.size));
        const queued = made.get(type);
        if (queued !== undefined) for (const member of members) member.tell(queued);
      } catch {
        // A caller's rights that cannot be told must not stop the others; the client comes back and is asked anew.
        for (const member of members) member.fail();
      }
    }
  }

  ended(): void {
    this.#ended = true;
    this.endAll();
  }

  /** Those who watch now are told the end; others may come. */
  endAll(): void {
    for (const { members } of this.#groups.values()) for (const member of members) member.ended();
    this.#groups.clear();
  }

  #queued(change: CachedChange, type: ObjectEvent['type'], members: number): Queued | undefined {
    const event = eventOf(change, type, members > 1 || this.#groups.size > 1);
    return event && { revision: change.revision, size: change.size, event };
  }
}
