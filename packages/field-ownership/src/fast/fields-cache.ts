import { deepFreeze, type JsonObject, parseTrustedJson, writeJson } from '@flotilla/json';
import type { FieldSet } from '../field-set/field-set.ts';

/**
 * The maximum number of cached characters for all kinds together. A larger cache is emptied. The parsed values take
 * about ten times as much memory as the texts.
 */
const maxCharacters = 500_000;
/** The maximum length of a cached text. Longer texts are rare. */
const maxTextLength = 20_000;

/** A cached FieldsV1 object, with its JSON text and its FieldSet. */
interface CachedFields {
  /** The parsed FieldsV1 object, frozen. */
  readonly fields: JsonObject;
  readonly text: string;
  /** The same fields as a FieldSet; `undefined` until it is first used. */
  set: FieldSet | undefined;
}

const byText = new Map<string, CachedFields>();
const byFields = new WeakMap<JsonObject, CachedFields>();
let characters = 0;
let latest: CachedFields | undefined;

/**
 * Parses a FieldsV1 text that this program wrote. The result is frozen and shared by all objects with an equal text.
 * Sharing saves memory, because FieldsV1 make up a third of the stored data and most objects of a kind have equal
 * FieldsV1. It is safe because FieldsV1 are only replaced, never changed.
 */
export function fieldsFromText(text: string): JsonObject {
  const cached = byText.get(text);
  if (cached !== undefined) {
    latest = cached;
    return cached.fields;
  }
  if (text.length > maxTextLength) return deepFreeze(parseTrustedJson(text) as JsonObject);
  // `internFields` serializes the value again, because caching a substring would keep the whole text in memory.
  return internFields(deepFreeze(parseTrustedJson(text) as JsonObject));
}

/** Returns the shared instance that equals a canonical and frozen FieldsV1. */
export function internFields(fields: JsonObject): JsonObject {
  const text = writeJson(fields, { sorted: false });
  const cached = byText.get(text);
  if (cached !== undefined) return cached.fields;
  return text.length > maxTextLength ? fields : addToCache({ fields, text, set: undefined });
}

function addToCache(cached: CachedFields): JsonObject {
  characters += cached.text.length;
  if (characters > maxCharacters) {
    byText.clear();
    characters = cached.text.length;
  }
  byText.set(cached.text, cached);
  byFields.set(cached.fields, cached);
  latest = cached;
  return cached.fields;
}

/**
 * Returns the most recently used FieldsV1, which is often needed next. If a text starts with the JSON text of this
 * FieldsV1, the parser can reuse the object.
 */
export function latestFields(): Pick<CachedFields, 'fields' | 'text'> | undefined {
  return latest;
}

/** Returns the JSON text of a cached FieldsV1; `undefined` if it is not cached. */
export function textOfFields(fields: JsonObject): string | undefined {
  const cached = byFields.get(fields);
  if (cached !== undefined) latest = cached;
  return cached?.text;
}

/** Returns the FieldSet of a FieldsV1. Calls `make` only once if the FieldsV1 is cached. */
export function setOfFields(fields: JsonObject, make: () => FieldSet): FieldSet {
  const cached = byFields.get(fields);
  if (cached === undefined) return make();
  cached.set ??= make();
  return cached.set;
}

/** Returns the FieldSet of a cached FieldsV1; `undefined` if it was not computed yet. */
export function cachedSet(fields: JsonObject): FieldSet | undefined {
  return byFields.get(fields)?.set;
}
