import type { Row } from './stage.ts';

/**
 * The maximum number of rows. Enough for namespaces and owners that many writes check, and for rows that change often.
 */
const maxRows = 512;
/** The maximum length of a cached value in characters. Longer values are rare and would use too much memory. */
const maxValueLength = 4096;

/**
 * Caches rows that the committer has read or written recently, so a later write can check them without a read from
 * disk. The cache is never outdated, because the committer is the only writer. Absent rows are not cached, because
 * LevelDB's Bloom filters make reads of absent rows cheap.
 */
export class RowCache {
  readonly #rows = new Map<string, Row>();

  get(text: string): Row | undefined {
    const row = this.#rows.get(text);
    if (row === undefined || this.#rows.size < maxRows) return row;
    // Moves the row to the end of the map. The first row is therefore always the least recently used one.
    this.#rows.delete(text);
    this.#rows.set(text, row);
    return row;
  }

  onRead(text: string, row: Row): void {
    this.onWritten(text, row);
  }

  /** Called after a row was written. `row` is `undefined` if the row was removed. */
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

  /** Empties the cache, for example if it is unknown whether a write reached the disk. */
  clear(): void {
    this.#rows.clear();
  }
}
