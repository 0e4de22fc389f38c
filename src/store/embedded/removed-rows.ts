import { isHistoryRow } from './row-codec.ts';

/** The bounds of removed rows, inclusive. */
export interface RemovedRange {
  readonly first: string;
  readonly last: string;
}

/** The maximum number of ranges. Further ranges are not recorded; LevelDB merges their tables later, on its own. */
const maxRanges = 1_000;

/** Records the keys of removed rows as one range per type and slice, to free their space later. */
export class RemovedRows {
  readonly #ranges = new Map<string, RemovedRange>();

  add(key: string): void {
    const group = key.slice(0, key.indexOf('\u0000') + 1);
    const range = this.#ranges.get(group);
    if (range === undefined) {
      if (this.#ranges.size < maxRanges) this.#ranges.set(group, { first: key, last: key });
    } else if (key < range.first) this.#ranges.set(group, { first: key, last: range.last });
    else if (key > range.last) this.#ranges.set(group, { first: range.first, last: key });
  }

  /** Records again a range that `take` has returned. */
  addRange({ first, last }: RemovedRange): void {
    this.add(first);
    this.add(last);
  }

  /**
   * Returns the recorded ranges and forgets them. Ranges of history are first, because usually all of their rows are
   * removed: merging them needs little space and frees much.
   */
  take(): RemovedRange[] {
    const ranges = [...this.#ranges.values()];
    this.#ranges.clear();
    return ranges.sort((one, other) => Number(isHistoryRow(other.first)) - Number(isHistoryRow(one.first)));
  }
}
