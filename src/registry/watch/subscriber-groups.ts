import type { Log } from '../../lib/log.ts';
import { WakeScheduler } from '../../lib/queue/wake-scheduler.ts';
import type { WakeCount } from '../../store/store.ts';
import type { CachedChange } from '../cache/cached-object.ts';
import type { CacheListener } from '../cache/watch-cache.ts';
import type { Selection } from '../verbs/object-selection.ts';
import type { ObjectEvent } from '../verbs.ts';
import { eventOf, eventTypeFor } from './watch-events.ts';
import type { QueuedEvent } from './watch-stream.ts';

/** A subscriber to the changes of a kind. Its functions must be fast and must not throw. */
export interface WatchSubscriber {
  enqueue(queued: QueuedEvent): void;
  /** Called if the objects that this subscriber may see cannot be determined. */
  fail(): void;
  /** Called when no further event will follow. */
  ended(): void;
}

interface Group {
  readonly selection: Selection;
  readonly members: Set<WatchSubscriber>;
}

/** Readers woken per event loop tick: writing to that many takes a millisecond or two. */
const readersPerTick = 32;

/**
 * The watch subscribers of one kind. Subscribers with the same selection form a group, which evaluates each change
 * once. All subscribers for which a change has the same event type share one event, whatever their group.
 */
export class SubscriberGroups implements CacheListener {
  readonly #groups = new Map<unknown, Group>();
  readonly #wakeups = new WakeScheduler(readersPerTick);
  /** The number of readers that were scheduled to be woken. */
  #scheduled = 0;
  readonly #log: Log;
  #ended = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a subscriber for all changes from now on. Returns a function that removes it. */
  add(selection: Selection, subscriber: WatchSubscriber): () => void {
    if (this.#ended) {
      subscriber.ended();
      return () => {};
    }
    const key = selection.groupKey() ?? subscriber;
    const group = this.#groups.get(key) ?? { selection, members: new Set() };
    this.#groups.set(key, group);
    group.members.add(subscriber);
    return () => {
      if (group.members.delete(subscriber) && group.members.size === 0) this.#groups.delete(key);
    };
  }

  /** Wakes a reader in a later tick, so that other work runs in between: many readers cause many socket writes. */
  scheduleWake(wake: () => void): void {
    this.#scheduled++;
    this.#wakeups.add(wake);
  }

  changed(change: CachedChange, wakes?: WakeCount): void {
    const scheduledBefore = this.#scheduled;
    const events = new Map<ObjectEvent['type'], QueuedEvent | undefined>();
    for (const { selection, members } of this.#groups.values()) {
      try {
        const type = eventTypeFor(selection, change);
        if (type === undefined) continue;
        if (!events.has(type)) events.set(type, this.#createEvent(change, type, members.size));
        const queued = events.get(type);
        if (queued !== undefined) for (const subscriber of members) subscriber.enqueue(queued);
      } catch (error) {
        // A failed permission check must not affect the other subscribers. The client reconnects and is authorized
        // again.
        this.#log.error({ err: error }, 'could not decide which watches see a change; these watches are ended');
        for (const subscriber of members) subscriber.fail();
      }
    }
    if (this.#scheduled > scheduledBefore) wakes?.add(this.#scheduled - scheduledBefore);
  }

  ended(): void {
    this.#ended = true;
    this.endAll();
  }

  /** Ends the current subscribers; new ones may be added. */
  endAll(): void {
    for (const { members } of this.#groups.values()) for (const subscriber of members) subscriber.ended();
    this.#groups.clear();
  }

  #createEvent(change: CachedChange, type: ObjectEvent['type'], members: number): QueuedEvent | undefined {
    const event = eventOf(change, type, members > 1 || this.#groups.size > 1);
    return event && { revision: change.revision, size: change.size, event };
  }
}
