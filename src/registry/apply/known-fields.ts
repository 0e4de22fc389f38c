import { parseTrustedJson } from '../../lib/json-parse.ts';
import { deepFreeze, type JsonObject } from '../../lib/json-value.ts';
import { writeJson } from '../../lib/json-write.ts';
import type { FieldSet } from './field-set.ts';

/** Characters of text kept, of all kinds together; beyond it all are forgotten. What is read of them takes ten times as much. */
const mostCharacters = 500_000;
/** Longer ones are few. */
const longestText = 20_000;

/** A FieldsV1 with all that is known of it. */
interface KnownFields {
  /** Frozen. */
  readonly fields: JsonObject;
  readonly text: string;
  /** The same as a set, once somebody has asked for that. */
  set: FieldSet | undefined;
}

const byText = new Map<string, KnownFields>();
const byFields = new WeakMap<JsonObject, KnownFields>();
let characters = 0;
let latest: KnownFields | undefined;

/**
 * The FieldsV1 that this text of ours is: frozen, and one for all objects that have the same, as most objects of a kind
 * do. They make up a third of what is stored, and are never changed, only replaced.
 */
export function fieldsOfText(text: string): JsonObject {
  const known = byText.get(text);
  if (known !== undefined) {
    latest = known;
    return known.fields;
  }
  // Written anew, as a piece of a text would hold on to all of it.
  return knownFields(deepFreeze(parseTrustedJson(text) as JsonObject));
}

/** The same of one that is made already: canonical and frozen. */
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

/** The one that was met last: often it is the next one, too. Where its text begins, it is all of the value. */
export function latestFields(): Pick<KnownFields, 'fields' | 'text'> | undefined {
  return latest;
}

/** Undefined: it is not one of these. */
export function textOfFields(fields: JsonObject): string | undefined {
  const known = byFields.get(fields);
  if (known !== undefined) latest = known;
  return known?.text;
}

/** As a set, made once. */
export function setOfFields(fields: JsonObject, make: () => FieldSet): FieldSet {
  const known = byFields.get(fields);
  if (known === undefined) return make();
  known.set ??= make();
  return known.set;
}

/** The same where somebody has asked for it before. */
export function knownSet(fields: JsonObject): FieldSet | undefined {
  return byFields.get(fields)?.set;
}
