import type { JsonObject, JsonValue, SortedJsonText } from '@flotilla/json';
import type { Schema } from '../../api/schema/schema.ts';

/** The request document of a decoded object that needed no defaulting and shares all of its large parts with it. */
export class RequestDocument {
  /** The schema for which `needsNoDefaulting` returned true. */
  readonly schema: Schema;
  readonly #value: JsonObject;
  readonly #texts: SortedJsonText;

  constructor(schema: Schema, value: JsonObject, texts: SortedJsonText) {
    this.schema = schema;
    this.#value = value;
    this.#texts = texts;
  }

  /** Returns the sorted JSON text of a part that belongs to this document; `undefined` if it does not or is unknown. */
  textOf(part: JsonObject | JsonValue[]): string | undefined {
    return this.#texts.of(this.#value, part);
  }
}
