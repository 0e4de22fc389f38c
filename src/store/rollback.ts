import { compareEncoded } from './key.ts';

type Stored<R> = readonly [text: string, row: R];

/**
 * Turns the present back to an earlier revision. Fed with the changes since then, it knows what stood at each key that
 * has changed: what the first of its changes found there. Then the present goes through `merge`, piece by piece in
 * order of the keys, and `rest` gives what has gone since.
 */
export class Rollback<R> {
  readonly #before = new Map<string, R | undefined>();
  #sorted: (readonly [text: string, row: R | undefined])[] | undefined;
  #next = 0;

  /** In order of revision. `previous`: what the change found; undefined: nothing. */
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
    const gone: Stored<R>[] = [];
    this.#upTo(undefined, gone);
    return gone;
  }

  /** Gives out what stood at the changed keys before `text`, and at `text` itself if asked. */
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
