import type { Row } from './stage.ts';

/** The namespaces and owners that many writes look at, and what is written again and again. */
const mostRows = 512;
/** Longer ones are seldom, and all of them together must not take up memory to speak of. */
const longestValue = 4096;

/**
 * What the only one who writes has read lately and knows to be there still, so that it need not be read again for the next
 * write that looks at it. Of what is not there nothing is kept.
 */
export class RecentRows {
  readonly #rows = new Map<string, Row>();

  get(text: string): Row | undefined {
    const row = this.#rows.get(text);
    if (row === undefined || this.#rows.size < mostRows) return row;
    // The first is the one that nobody has asked for longest.
    this.#rows.delete(text);
    this.#rows.set(text, row);
    return row;
  }

  wasRead(text: string, row: Row): void {
    if (row.value.length > longestValue) return;
    this.#rows.set(text, row);
    if (this.#rows.size <= mostRows) return;
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest);
      return;
    }
  }

  /** undefined: it has gone. */
  wasWritten(text: string, row: Row | undefined): void {
    if (!this.#rows.has(text)) return;
    if (row === undefined || row.value.length > longestValue) this.#rows.delete(text);
    else this.#rows.set(text, row);
  }

  /** What stands is not known any more. */
  clear(): void {
    this.#rows.clear();
  }
}
