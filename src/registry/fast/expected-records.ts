import type { ObjectKey } from '../cache/object-index.ts';
import type { StoredRecord } from '../resource.ts';

interface Expected {
  readonly text: string;
  readonly record: StoredRecord;
}

/** The decoded records of writes in progress, by their text, so that the cache need not decode them again. */
export class ExpectedRecords {
  readonly #byKey = new Map<string, Expected>();

  /**
   * A second record for the same key replaces the first, which then has to be decoded. Returns a function to remove it.
   */
  add(key: ObjectKey, text: string, record: StoredRecord): () => void {
    const keyText = keyOf(key);
    const expected = { text, record };
    this.#byKey.set(keyText, expected);
    return () => {
      if (this.#byKey.get(keyText) === expected) this.#byKey.delete(keyText);
    };
  }

  /** Returns the record of this text; `undefined` if no writer in this process announced it. */
  find(key: ObjectKey, text: string): StoredRecord | undefined {
    const expected = this.#byKey.get(keyOf(key));
    return expected?.text === text ? expected.record : undefined;
  }
}

/** A name contains no slash, so the key is unambiguous. */
function keyOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
