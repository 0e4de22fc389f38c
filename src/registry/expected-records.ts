import type { Place } from './object-index.ts';
import type { StoredRecord } from './resource.ts';

interface Expected {
  readonly text: string;
  readonly record: StoredRecord;
}

/** The decoded records of writes in progress, by their text, so that the cache need not decode them again. */
export class ExpectedRecords {
  readonly #byPlace = new Map<string, Expected>();

  /**
   * A second record for the same key replaces the first, which then has to be decoded. Returns a function to remove it.
   */
  add(place: Place, text: string, record: StoredRecord): () => void {
    const key = keyOf(place);
    const expected = { text, record };
    this.#byPlace.set(key, expected);
    return () => {
      if (this.#byPlace.get(key) === expected) this.#byPlace.delete(key);
    };
  }

  /** Returns the record of this text; `undefined` if no writer in this process announced it. */
  find(place: Place, text: string): StoredRecord | undefined {
    const expected = this.#byPlace.get(keyOf(place));
    return expected?.text === text ? expected.record : undefined;
  }
}

/** A name contains no slash, so the key is unambiguous. */
function keyOf({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}
