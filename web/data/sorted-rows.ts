import type { Row } from './table-rows.ts';

export type CompareRows = (a: Row, b: Row) => number;

/**
 * Rows in an order that is kept from one change to the next: rows are replaced, never changed, so those that are still
 * there stand right already, and only the new ones look for their place. Ten thousand rows by a collator's order take a
 * tenth of a second; a change of some of them must not.
 */
export class SortedRows {
  #by: string | undefined;
  #rows: readonly Row[] = [];

  /** `by` names the order: as long as it is the same, `compare` orders alike. */
  sort(rows: readonly Row[], by: string, compare: CompareRows): readonly Row[] {
    if (by === this.#by) {
      const fresh = new Set(rows);
      const kept = this.#rows.filter((row) => fresh.delete(row));
      this.#rows = merged(kept, [...fresh].sort(compare), compare);
    } else {
      this.#rows = [...rows].sort(compare);
      this.#by = by;
    }
    return this.#rows;
  }
}

/** Both in order. A place is looked for by halves, so that few new ones cost few comparisons. */
function merged(kept: readonly Row[], fresh: readonly Row[], compare: CompareRows): readonly Row[] {
  if (fresh.length === 0) return kept;
  const all: Row[] = [];
  let done = 0;
  for (const row of fresh) {
    let low = done;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(kept[middle] as Row, row) <= 0) low = middle + 1;
      else high = middle;
    }
    for (; done < low; done++) all.push(kept[done] as Row);
    all.push(row);
  }
  for (; done < kept.length; done++) all.push(kept[done] as Row);
  return all;
}
