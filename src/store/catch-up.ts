import type { Log } from '../lib/log.ts';
import type { Hub } from './hub.ts';
import type { KeyRange } from './key.ts';
import type { Change, Observer, Revision, WakeCount } from './store.ts';
import { StoreError } from './store-error.ts';

/** A chunk of history: all changes of the range up to and including `upTo` that follow the previous chunk. */
export interface HistoryChunk {
  readonly changes: readonly Change[];
  readonly upTo: Revision;
}

interface Observation {
  readonly hub: Hub;
  readonly range: KeyRange;
  readonly since: Revision;
  readonly observer: Observer;
  readonly log: Log;
  /** True if nothing after `since` is committed now: then there is no history to read. */
  isCurrent(): boolean;
  /** Reads from the state that is committed at the time of the call. Throws Expired. */
  readonly history: (since: Revision) => AsyncIterable<HistoryChunk>;
}

/**
 * The buffer for changes that arrive while history is read. On overflow it is discarded and they are read from history.
 */
const maxBuffered = 4096;

/**
 * Observes without a gap: subscribes, reads history, then delivers the changes that arrived meanwhile, without those
 * that history already had. Resolves when the observation is live, to the function that ends it.
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
      for await (const piece of history(gate.cursor)) {
        if (gate.isStopped) break;
        gate.deliver(piece.changes);
        gate.advance(piece.upTo);
      }
    } while (gate.overflowed);
    gate.goLive();
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

/** Wraps an observer: buffers while history is read, drops changes already delivered, and catches its exceptions. */
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

  changes(changes: readonly Change[], wakes?: WakeCount): void {
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

  deliver(changes: readonly Change[], wakes?: WakeCount): void {
    if (this.#isStopped) return;
    const fresh = changes.filter((change) => change.revision > this.#cursor);
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.#cursor = last.revision;
    this.#catchErrors(() => this.#observer.changes(fresh, wakes));
  }

  /**
   * An exception of one observer must not reach the writer or other observers. It has missed changes, so it is ended.
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
