import type { Change, HistoryChunk, HistoryOptions, Revision } from './store.ts';

/** The approximate number of characters that a change takes in addition to its values: its key and its revisions. */
const charactersPerChange = 200;

export function charactersOf({ value, previous }: Change): number {
  return charactersPerChange + (value?.length ?? 0) + (previous?.value.length ?? 0);
}

/** Collects the result of `Store.history` from successive chunks, until it has the requested size. */
export class HistoryCollector {
  readonly #to: Revision | undefined;
  readonly #characters: number;
  readonly #changes: Change[] = [];
  #size = 0;
  #isFull = false;
  #upTo: Revision;

  constructor(since: Revision, { to, characters = Number.POSITIVE_INFINITY }: HistoryOptions = {}) {
    this.#to = to;
    this.#characters = characters;
    this.#upTo = since;
  }

  /** Adds the next chunk. Returns false if no further chunk is needed. */
  add({ changes, upTo }: HistoryChunk): boolean {
    for (const change of changes) {
      if (this.#to !== undefined && change.revision > this.#to) break;
      const size = charactersOf(change);
      this.#isFull = this.#changes.length > 0 && this.#size + size > this.#characters;
      if (this.#isFull) return false;
      this.#changes.push(change);
      this.#size += size;
      this.#upTo = change.revision;
    }
    this.#upTo = Math.max(this.#upTo, upTo);
    return this.#to === undefined || this.#upTo < this.#to;
  }

  /** The collected changes. Complete after the last chunk was added, or after `add` has returned false. */
  get result(): HistoryChunk {
    return { changes: this.#changes, upTo: this.#isFull ? this.#upTo : (this.#to ?? this.#upTo) };
  }
}
