import type { Row } from './stage.ts';

/** Enough for the namespaces and owners that many writes read, and for rows that are updated or removed soon. */
const maxRows = 512;
/** Longer values are rare; this limit keeps the memory of the whole cache small. */
const maxValueLength = 4096;

/**
 * A cache of rows that the committer read or wrote recently, so that the next write that checks them need not read them
 * again. It is exact, because the committer is the only writer. Absent rows are not cached: LevelDB's Bloom filters make
 * that read cheap.
 */
export class RowCache {
  readonly #rows = new Map<string, Row>();

  get(text: string): Row | undefined {
    const row = this.#rows.get(text);
    if (row === undefined || this.#rows.size < maxRows) return row;
    // Reinsert the row at the end: the first row of the map is the least recently used one.
    this.#rows.delete(text);
    this.#rows.set(text, row);
    return row;
  }

  onRead(text: string, row: Row): void {
    this.onWritten(text, row);
  }

  /** `row: undefined` means that the row was removed. */
  onWritten(text: string, row: Row | undefined): void {
    this.#rows.delete(text);
    if (row === undefined || row.value.length > maxValueLength) return;
    this.#rows.set(text, row);
    if (this.#rows.size <= maxRows) return;
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest);
      return;
    }
  }

  /** Empties the cache when the stored rows are no longer known. */
  clear(): void {
    this.#rows.clear();
  }
}
