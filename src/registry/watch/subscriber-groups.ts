import { expired, type Status } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import { WakeScheduler } from '../../lib/queue/wake-scheduler.ts';
import type { WatchWakeCounter } from '../../store/store.ts';
import type { CachedChange } from '../cache/cached-object.ts';
import type { CacheListener } from '../cache/watch-cache.ts';
import type { ObjectSelection } from '../verbs/object-selection.ts';
import type { ObjectEvent } from '../verbs.ts';
import { createWatchEvent, eventTypeFor } from './watch-events.ts';
import type { QueuedEvent } from './watch-stream.ts';

/** A watch that receives the changes of a kind. Its functions must be fast and must not throw. */
export interface WatchSubscriber {
  enqueue(queued: QueuedEvent): void;
  /** Called if a permission check throws an error. It is then unknown which objects the subscriber may see. */
  fail(): void;
  /** Called after the last event. If the watch failed, `failure` is the reason. */
  ended(failure?: Status): void;
}

interface Group {
  readonly selection: ObjectSelection;
  readonly members: Set<WatchSubscriber>;
}

/** The error of watches that have missed events. */
const missedEvents = expired(
  'the server could not read all changes from its store before they were compacted; list the objects again',
).status;

/** The number of watches that are woken per event loop tick. Writing their events takes one to two milliseconds. */
const readersPerTick = 32;

/**
 * The watches of one kind. Subscribers with equal selections form a group, so that each change is checked once per
 * group. If a change has the same event type for several groups, all subscribers of these groups share one event
 * object.
 */
export class SubscriberGroups implements CacheListener {
  readonly #groups = new Map<unknown, Group>();
  readonly #wakeups = new WakeScheduler(readersPerTick);
  /** The number of `scheduleWake` calls so far. `changed` uses it to count the watches that a change wakes. */
  #scheduled = 0;
  readonly #log: Log;
  #isInterrupted = false;
  #ended = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a subscriber, which receives all changes after this call. Returns a function that removes it. */
  add(selection: ObjectSelection, subscriber: WatchSubscriber): () => void {
    if (this.#ended) {
      subscriber.ended();
      return () => {};
    }
    if (this.#isInterrupted) {
      subscriber.ended(missedEvents);
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

  /**
   * Wakes a reader in a later event loop tick. Only `readersPerTick` readers are woken per tick, so that other work can
   * run while many readers write to their sockets.
   */
  scheduleWake(wake: () => void): void {
    this.#scheduled++;
    this.#wakeups.add(wake);
  }

  changed(change: CachedChange, wakes?: WatchWakeCounter): void {
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
        // A permission check that throws an error must not affect other groups. The watches of this group end, and
        // their clients reconnect and are authorized again.
        this.#log.error(
          { err: error },
          'permission check of a watch failed; ending all watches with the same selection',
        );
        for (const subscriber of members) subscriber.fail();
      }
    }
    if (this.#scheduled > scheduledBefore) wakes?.add(this.#scheduled - scheduledBefore);
  }

  /** Ends all watches with the error 410, so that their clients list the objects again. */
  interrupted(): void {
    this.#isInterrupted = true;
    this.endAll(missedEvents);
  }

  reloaded(): void {
    this.#isInterrupted = false;
  }

  ended(): void {
    this.#ended = true;
    this.endAll();
  }

  /**
   * Ends all current subscribers, with an error if the watches failed. New subscribers may be added afterwards.
   */
  endAll(failure?: Status): void {
    for (const { members } of this.#groups.values()) for (const subscriber of members) subscriber.ended(failure);
    this.#groups.clear();
  }

  #createEvent(change: CachedChange, type: ObjectEvent['type'], members: number): QueuedEvent | undefined {
    const event = createWatchEvent(change, type, members > 1 || this.#groups.size > 1);
    return event && { revision: change.revision, size: change.size, event };
  }
}
