import { deepFreeze, type JsonObject, parseTrustedJson, writeJson } from '@flotilla/json';
import type { FieldSet } from '../field-set.ts';

/**
 * The maximum number of cached characters for all kinds together; then the cache is emptied. Parsed, they take ten
 * times as much memory.
 */
const maxCharacters = 500_000;
/** Longer texts are rare and are not cached. */
const maxTextLength = 20_000;

/** A cached FieldsV1 with its other representations. */
interface CachedFields {
  /** Frozen. */
  readonly fields: JsonObject;
  readonly text: string;
  /** The fields as a FieldSet, computed on first use. */
  set: FieldSet | undefined;
}

const byText = new Map<string, CachedFields>();
const byFields = new WeakMap<JsonObject, CachedFields>();
let characters = 0;
let latest: CachedFields | undefined;

/**
 * The FieldsV1 of a text that this program wrote: frozen, and shared by all objects that have the same one, as most
 * objects of a kind do. FieldsV1 make up a third of the stored data, and are only replaced, never changed.
 */
export function fieldsFromText(text: string): JsonObject {
  const cached = byText.get(text);
  if (cached !== undefined) {
    latest = cached;
    return cached.fields;
  }
  // Serialized again, because a substring would keep the whole text in memory.
  return internFields(deepFreeze(parseTrustedJson(text) as JsonObject));
}

/** The shared instance of a canonical and frozen FieldsV1. */
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
 * The most recently used FieldsV1, which is often the next one too. A value that starts with its text is that value.
 */
export function latestFields(): Pick<CachedFields, 'fields' | 'text'> | undefined {
  return latest;
}

/** The text of a cached FieldsV1; `undefined` if it is not cached. */
export function textOfFields(fields: JsonObject): string | undefined {
  const cached = byFields.get(fields);
  if (cached !== undefined) latest = cached;
  return cached?.text;
}

/** The set for a FieldsV1; computed once if it is cached. */
export function setOfFields(fields: JsonObject, make: () => FieldSet): FieldSet {
  const cached = byFields.get(fields);
  if (cached === undefined) return make();
  cached.set ??= make();
  return cached.set;
}

/** The set for a FieldsV1 if it was computed before. */
export function cachedSet(fields: JsonObject): FieldSet | undefined {
  return byFields.get(fields)?.set;
}
