import type { Log } from '../lib/log.ts';
import type { ObserverHub } from './hub.ts';
import type { KeyRange } from './key.ts';
import type { Change, HistoryChunk, Observer, Revision, WatchWakeCounter } from './store.ts';
import { StoreError } from './store-error.ts';

interface Observation {
  readonly hub: ObserverHub;
  readonly range: KeyRange;
  readonly since: Revision;
  readonly observer: Observer;
  readonly log: Log;
  /** True if no change after `since` is committed. In this case, no history has to be read. */
  isCurrent(): boolean;
  /** Reads the changes after a revision that are committed at the time of the call. Throws StoreError Expired. */
  readonly history: (since: Revision) => AsyncIterable<HistoryChunk>;
}

/**
 * The maximum number of changes that are buffered while history is read. If there are more, the buffer is discarded and
 * the changes are read from history instead.
 */
const maxBuffered = 4096;

/**
 * Starts to observe a range without missing a change: subscribes, delivers the changes from history, and then delivers
 * the changes that arrived in the meantime. Each change is delivered once. Resolves when the observer is up to date.
 * Returns a function that stops the observation.
 */
export async function catchUp(observation: Observation): Promise<() => void> {
  const { hub, range, since, observer, log, history } = observation;
  const gate = new ObserverGate(observer, since, log);
  const unsubscribe = hub.subscribe(range, gate);
  const stop = () => {
    gate.stop();
    unsubscribe();
  };
  if (observation.isCurrent()) {
    gate.goLive();
    return stop;
  }
  try {
    do {
      gate.startBuffering();
      for await (const chunk of history(gate.cursor)) {
        if (gate.isStopped) break;
        gate.deliver(chunk.changes);
        gate.advance(chunk.upTo);
      }
    } while (gate.overflowed);
    gate.goLive();
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

/**
 * Wraps an observer: buffers changes while history is read, skips changes that were already delivered, and handles
 * exceptions of the observer.
 */
class ObserverGate implements Observer {
  readonly #observer: Observer;
  readonly #log: Log;
  #cursor: Revision;
  #buffered: Change[] | undefined = [];
  #overflowed = false;
  #isStopped = false;

  constructor(observer: Observer, since: Revision, log: Log) {
    this.#observer = observer;
    this.#cursor = since;
    this.#log = log;
  }

  get cursor(): Revision {
    return this.#cursor;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get overflowed(): boolean {
    return this.#overflowed && !this.#isStopped;
  }

  changes(changes: readonly Change[], wakes?: WatchWakeCounter): void {
    if (this.#buffered === undefined) this.deliver(changes, wakes);
    else if (this.#buffered.length + changes.length > maxBuffered) {
      this.#overflowed = true;
      this.#buffered = [];
    } else if (!this.#overflowed) this.#buffered.push(...changes);
  }

  ended(error: StoreError): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#catchErrors(() => this.#observer.ended(error));
  }

  startBuffering(): void {
    this.#buffered = [];
    this.#overflowed = false;
  }

  goLive(): void {
    const buffered = this.#buffered ?? [];
    this.#buffered = undefined;
    this.deliver(buffered);
  }

  stop(): void {
    this.#isStopped = true;
    this.#buffered = undefined;
  }

  advance(upTo: Revision): void {
    this.#cursor = Math.max(this.#cursor, upTo);
  }

  deliver(changes: readonly Change[], wakes?: WatchWakeCounter): void {
    if (this.#isStopped) return;
    const fresh = changes.filter((change) => change.revision > this.#cursor);
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.#cursor = last.revision;
    this.#catchErrors(() => this.#observer.changes(fresh, wakes));
  }

  /**
   * Calls the observer. If the observer throws, its observation ends, because it has missed changes. The exception must
   * not reach the writer or other observers.
   */
  #catchErrors(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error({ error }, 'an observer of the store threw an exception; its observation has ended');
      this.ended(new StoreError('Closed', 'the observer threw an exception'));
    }
  }
}
