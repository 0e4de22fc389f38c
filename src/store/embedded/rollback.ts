import { compareEncoded } from '../key.ts';

type Stored<R> = readonly [text: string, row: R];

/**
 * Reconstructs an earlier revision from the current rows. `undo` records the changes since that revision; the first
 * change of each key has its earlier value. Then the current rows pass through `merge` in chunks, sorted by key, and
 * `rest` returns the rows that were removed since and sort after the last chunk.
 */
export class Rollback<R> {
  readonly #before = new Map<string, R | undefined>();
  #sorted: (readonly [text: string, row: R | undefined])[] | undefined;
  #next = 0;

  /** Call in order of revision. `previous` is the value before the change; `undefined` if there was none. */
  undo(text: string, previous: () => R | undefined): void {
    if (!this.#before.has(text)) this.#before.set(text, previous());
  }

  merge(present: readonly Stored<R>[]): readonly Stored<R>[] {
    if (this.#before.size === 0) return present;
    const merged: Stored<R>[] = [];
    for (const stored of present) {
      this.#upTo(stored[0], merged);
      if (this.#before.has(stored[0])) this.#upTo(stored[0], merged, true);
      else merged.push(stored);
    }
    return merged;
  }

  rest(): Stored<R>[] {
    const removed: Stored<R>[] = [];
    this.#upTo(undefined, removed);
    return removed;
  }

  /** Adds the earlier rows of the changed keys before `text`, and with `inclusive` also the one at `text`. */
  #upTo(text: string | undefined, into: Stored<R>[], inclusive = false): void {
    this.#sorted ??= [...this.#before].sort(([a], [b]) => compareEncoded(a, b));
    for (let next = this.#sorted[this.#next]; next !== undefined; next = this.#sorted[this.#next]) {
      const order = text === undefined ? -1 : compareEncoded(next[0], text);
      if (order > 0 || (order === 0 && !inclusive)) return;
      this.#next++;
      if (next[1] !== undefined) into.push([next[0], next[1]]);
    }
  }
}
