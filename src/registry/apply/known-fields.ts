import { parseTrustedJson } from '../../lib/json-parse.ts';
import { deepFreeze, type JsonObject } from '../../lib/json-value.ts';
import { writeJson } from '../../lib/json-write.ts';
import type { FieldSet } from './field-set.ts';

/**
 * The maximum number of cached characters for all kinds together; then the cache is emptied. Parsed, they take ten
 * times as much memory.
 */
const mostCharacters = 500_000;
/** Longer texts are rare and are not cached. */
const longestText = 20_000;

/** A cached FieldsV1 with its other representations. */
interface KnownFields {
  /** Frozen. */
  readonly fields: JsonObject;
  readonly text: string;
  /** The same as a set, computed on first use. */
  set: FieldSet | undefined;
}

const byText = new Map<string, KnownFields>();
const byFields = new WeakMap<JsonObject, KnownFields>();
let characters = 0;
let latest: KnownFields | undefined;

/**
 * The FieldsV1 of a text that this program wrote: frozen, and shared by all objects that have the same one, as most
 * objects of a kind do. FieldsV1 make up a third of the stored data, and are only replaced, never changed.
 */
export function fieldsOfText(text: string): JsonObject {
  const known = byText.get(text);
  if (known !== undefined) {
    latest = known;
    return known.fields;
  }
  // Serialized again, because a substring would keep the whole text in memory.
  return knownFields(deepFreeze(parseTrustedJson(text) as JsonObject));
}

/** The shared instance of a canonical and frozen FieldsV1. */
export function knownFields(fields: JsonObject): JsonObject {
  const text = writeJson(fields, { sorted: false });
  const known = byText.get(text);
  if (known !== undefined) return known.fields;
  return text.length > longestText ? fields : keep({ fields, text, set: undefined });
}

function keep(known: KnownFields): JsonObject {
  characters += known.text.length;
  if (characters > mostCharacters) {
    byText.clear();
    characters = known.text.length;
  }
  byText.set(known.text, known);
  byFields.set(known.fields, known);
  latest = known;
  return known.fields;
}

/**
 * The most recently used FieldsV1, which is often the next one too. A value that starts with its text is that value.
 */
export function latestFields(): Pick<KnownFields, 'fields' | 'text'> | undefined {
  return latest;
}

/** The text of a cached FieldsV1; `undefined` if it is not cached. */
export function textOfFields(fields: JsonObject): string | undefined {
  const known = byFields.get(fields);
  if (known !== undefined) latest = known;
  return known?.text;
}

/** The set for a FieldsV1; computed once if it is cached. */
export function setOfFields(fields: JsonObject, make: () => FieldSet): FieldSet {
  const known = byFields.get(fields);
  if (known === undefined) return make();
  known.set ??= make();
  return known.set;
}

/** The set for a FieldsV1 if it was computed before. */
export function knownSet(fields: JsonObject): FieldSet | undefined {
  return byFields.get(fields)?.set;
}
