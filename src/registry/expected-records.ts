import type { Place } from './object-index.ts';
import type { StoredRecord } from './resource.ts';

interface Expected {
  readonly text: string;
  readonly record: StoredRecord;
}

/** What writers know of the texts that they are just writing. As many as there are writes under way. */
export class ExpectedRecords {
  readonly #byPlace = new Map<string, Expected>();

  /** A second one for the same place takes the place of the first, which then has to be read. */
  add(place: Place, text: string, record: StoredRecord): () => void {
    const key = keyOf(place);
    const expected = { text, record };
    this.#byPlace.set(key, expected);
    return () => {
      if (this.#byPlace.get(key) === expected) this.#byPlace.delete(key);
    };
  }

  /** The record of this text; undefined: nobody near wrote it. */
  find(place: Place, text: string): StoredRecord | undefined {
    const expected = this.#byPlace.get(keyOf(place));
    return expected?.text === text ? expected.record : undefined;
  }
}

/** A name has no slash. */
function keyOf({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}
