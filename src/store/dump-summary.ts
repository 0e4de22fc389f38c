import { createHash } from 'node:crypto';
import { encodeKey } from './key.ts';
import type { DumpRow, Revision } from './store.ts';

/** The rows of a slice in a dump. */
interface SliceSummary {
  readonly entries: number;
  /** The highest revision of the slice; `undefined` if only unlogged rows were ever written to it. */
  readonly revision: Revision | undefined;
}

/** Counts the rows of a dump and computes a digest of their keys and values. Used to compare a store with its copy. */
export class DumpSummary {
  readonly #hash = createHash('sha256');
  readonly #slices = new Map<string, SliceSummary>();
  #entries = 0;
  #digest: string | undefined;

  /** The number of rows. */
  get entries(): number {
    return this.#entries;
  }

  get slices(): ReadonlyMap<string, SliceSummary> {
    return this.#slices;
  }

  /** Adds rows to this summary, and yields them unchanged. */
  async *follow(rows: AsyncIterable<DumpRow>): AsyncGenerator<DumpRow> {
    for await (const row of rows) {
      this.add(row);
      yield row;
    }
  }

  async addAll(rows: AsyncIterable<DumpRow>): Promise<this> {
    for await (const row of rows) this.add(row);
    return this;
  }

  add(row: DumpRow): void {
    if (row.row === 'head') return;
    const slice = row.row === 'slice' ? row.slice : row.key.slice;
    const { entries, revision } = this.#slices.get(slice) ?? { entries: 0, revision: undefined };
    if (row.row === 'slice') {
      this.#slices.set(slice, { entries, revision: row.revision });
      return;
    }
    this.#slices.set(slice, { entries: entries + 1, revision });
    this.#entries++;
    const key = encodeKey(row.key);
    this.#hash
      .update(`${Buffer.byteLength(key)} ${Buffer.byteLength(row.value)}\n`)
      .update(key)
      .update(row.value);
  }

  /**
   * Returns the first difference of a copy from this store, for an error message; `undefined` if the copy has the same
   * rows and no revision is lower. Must be called after all rows were added to both summaries.
   */
  differenceOf(copy: DumpSummary): string | undefined {
    for (const slice of new Set([...this.#slices.keys(), ...copy.#slices.keys()])) {
      const [expected, found] = [this.#slices.get(slice), copy.#slices.get(slice)];
      if ((found?.entries ?? 0) !== (expected?.entries ?? 0)) {
        return `slice "${slice}" has ${found?.entries ?? 0} rows instead of ${expected?.entries ?? 0}`;
      }
      if ((found?.revision ?? 1) < (expected?.revision ?? 1)) {
        return `slice "${slice}" is at revision ${found?.revision ?? 1}, below ${expected?.revision ?? 1}`;
      }
    }
    return this.#hexDigest() === copy.#hexDigest() ? undefined : 'the values of some rows differ';
  }

  #hexDigest(): string {
    this.#digest ??= this.#hash.digest('hex');
    return this.#digest;
  }
}
