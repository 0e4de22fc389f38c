import type { JsonObject, JsonValue, SortedJsonText } from '@flotilla/json';
import type { Schema } from '../../api/schema/schema.ts';

/**
 * The request body of a write, if decoding left it unchanged: the decoded object needed no defaults and shares its
 * large parts with this document. The JSON texts of these parts need not be generated again.
 */
export class RequestDocument {
  /** The schema by which the request body was decoded. Pruning and defaults left the body unchanged. */
  readonly schema: Schema;
  readonly #value: JsonObject;
  readonly #texts: SortedJsonText;

  constructor(schema: Schema, value: JsonObject, texts: SortedJsonText) {
    this.schema = schema;
    this.#value = value;
    this.#texts = texts;
  }

  /**
   * Returns the sorted JSON text of a part of this document; `undefined` if `part` is another object or has no known
   * text.
   */
  textOf(part: JsonObject | JsonValue[]): string | undefined {
    return this.#texts.of(this.#value, part);
  }
}
