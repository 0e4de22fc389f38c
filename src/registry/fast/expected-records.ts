import type { ObjectKey } from '../cache/object-index.ts';
import type { StoredRecord } from '../resource.ts';

interface Expected {
  readonly text: string;
  readonly record: StoredRecord;
}

/** The decoded records of writes in progress, so that the watch cache need not decode the texts that it observes. */
export class ExpectedRecords {
  readonly #byKey = new Map<string, Expected>();

  /**
   * Adds a record and returns a function that removes it. A second record for the same key replaces the first one, so
   * the watch cache decodes the text of the first write itself.
   */
  add(key: ObjectKey, text: string, record: StoredRecord): () => void {
    const keyText = keyOf(key);
    const expected = { text, record };
    this.#byKey.set(keyText, expected);
    return () => {
      if (this.#byKey.get(keyText) === expected) this.#byKey.delete(keyText);
    };
  }

  /** Returns the record that a writer in this process added for this key and text; `undefined` if there is none. */
  find(key: ObjectKey, text: string): StoredRecord | undefined {
    const expected = this.#byKey.get(keyOf(key));
    return expected?.text === text ? expected.record : undefined;
  }
}

/** Formats an object key as `namespace/name`. Neither part contains a slash, so different keys have different texts. */
function keyOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
