import type { Log } from '../lib/log.ts';
import type { Hub } from './hub.ts';
import type { KeyRange } from './key.ts';
import type { Change, Observer, Revision } from './store.ts';
import { StoreError } from './store-error.ts';

/** A piece of history in the range: all of its changes up to and including `upTo`, after those of the piece before. */
export interface HistoryPiece {
  readonly changes: readonly Change[];
  readonly upTo: Revision;
}

interface Observation {
  readonly hub: Hub;
  readonly range: KeyRange;
  readonly since: Revision;
  readonly observer: Observer;
  readonly log: Log;
  /** Whether nothing after `since` is committed now: then there is no history to read. */
  isCurrent(): boolean;
  /** From what is committed when it is called. Throws Expired. */
  readonly history: (since: Revision) => AsyncIterable<HistoryPiece>;
}

/** What may come in while history is read. If more does, it is dropped and read from history too, where it lies. */
const bufferedChanges = 4096;

/**
 * Observes without a gap: subscribes first, then reads history, then hands over what came meanwhile, dropping what
 * history had already. Resolves when it is live, to the function that ends it.
 */
export async function catchUp(observation: Observation): Promise<() => void> {
  const { hub, range, since, observer, log, history } = observation;
  const gate = new Gate(observer, since, log);
  const unsubscribe = hub.subscribe(range, gate);
  const stop = () => {
    gate.shut();
    unsubscribe();
  };
  if (observation.isCurrent()) {
    gate.open();
    return stop;
  }
  try {
    do {
      gate.hold();
      for await (const piece of history(gate.cursor)) {
        if (gate.isShut) break;
        gate.handOver(piece.changes);
        gate.pass(piece.upTo);
      }
    } while (gate.overflown);
    gate.open();
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

/** Stands before an observer: holds back while history is read, drops what was handed over, survives its faults. */
class Gate implements Observer {
  readonly #observer: Observer;
  readonly #log: Log;
  #cursor: Revision;
  #held: Change[] | undefined = [];
  #overflown = false;
  #shut = false;

  constructor(observer: Observer, since: Revision, log: Log) {
    this.#observer = observer;
    this.#cursor = since;
    this.#log = log;
  }

  get cursor(): Revision {
    return this.#cursor;
  }

  get isShut(): boolean {
    return this.#shut;
  }

  get overflown(): boolean {
    return this.#overflown && !this.#shut;
  }

  changes(changes: readonly Change[]): void {
    if (this.#held === undefined) this.handOver(changes);
    else if (this.#held.length + changes.length > bufferedChanges) {
      this.#overflown = true;
      this.#held = [];
    } else if (!this.#overflown) this.#held.push(...changes);
  }

  ended(error: StoreError): void {
    if (this.#shut) return;
    this.#shut = true;
    this.#guarded(() => this.#observer.ended(error));
  }

  hold(): void {
    this.#held = [];
    this.#overflown = false;
  }

  open(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.handOver(held);
  }

  shut(): void {
    this.#shut = true;
    this.#held = undefined;
  }

  pass(upTo: Revision): void {
    this.#cursor = Math.max(this.#cursor, upTo);
  }

  handOver(changes: readonly Change[]): void {
    if (this.#shut) return;
    const fresh = changes.filter((change) => change.revision > this.#cursor);
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.#cursor = last.revision;
    this.#guarded(() => this.#observer.changes(fresh));
  }

  /** One observer's fault must not reach the writer nor the other observers. It has missed something: it is told the end. */
  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error({ error }, 'an observer of the store threw and gets nothing more');
      this.ended(new StoreError('Closed', 'the observer threw'));
    }
  }
}
