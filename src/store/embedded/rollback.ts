import { compareEncodedKeys } from '../key.ts';

type Stored<R> = readonly [text: string, row: R];

/**
 * Reconstructs the rows of an earlier revision from the current rows. Call `undo` for each change after that revision.
 * Then pass the current rows to `merge` in chunks, sorted by key; it returns the earlier rows. Finally, `rest` returns
 * the earlier rows that sort after the last chunk.
 */
export class Rollback<R> {
  readonly #before = new Map<string, R | undefined>();
  #sorted: (readonly [text: string, row: R | undefined])[] | undefined;
  #next = 0;

  /**
   * Records a change that must be undone. Call it in the order of revisions. `previous` returns the row before the
   * change; `undefined` if it did not exist.
   */
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

  /**
   * Appends the earlier rows of the next changed keys to `into`: the keys that sort before `text`, and `text` itself if
   * `inclusive` is true. If `text` is `undefined`, appends the rows of all remaining keys.
   */
  #upTo(text: string | undefined, into: Stored<R>[], inclusive = false): void {
    this.#sorted ??= [...this.#before].sort(([a], [b]) => compareEncodedKeys(a, b));
    for (let next = this.#sorted[this.#next]; next !== undefined; next = this.#sorted[this.#next]) {
      const order = text === undefined ? -1 : compareEncodedKeys(next[0], text);
      if (order > 0 || (order === 0 && !inclusive)) return;
      this.#next++;
      if (next[1] !== undefined) into.push([next[0], next[1]]);
    }
  }
}
