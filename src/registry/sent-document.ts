import type { Schema } from '../api/schema/schema.ts';
import type { SortedText } from '../lib/json-sorted-text.ts';
import type { JsonObject, JsonValue } from '../lib/json-value.ts';

/** What a decoded object was sent as, where it is as its schema wants it and shares all that it can with the document. */
export class SentDocument {
  /** By this one `isSettled` found nothing to be done. */
  readonly schema: Schema;
  readonly #value: JsonObject;
  readonly #texts: SortedText;

  constructor(schema: Schema, value: JsonObject, texts: SortedText) {
    this.schema = schema;
    this.#value = value;
    this.#texts = texts;
  }

  /** The text of a part that is this very document's, with sorted members; undefined: it is not, or it is not known. */
  textOf(part: JsonObject | JsonValue[]): string | undefined {
    return this.#texts.of(this.#value, part);
  }
}
