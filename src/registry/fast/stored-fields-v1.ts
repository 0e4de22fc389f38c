import { fieldsFromText, latestFields } from '@flotilla/field-ownership';
import { isJsonObject, type JsonObject, type JsonValue, parseTrustedJson, skipJson } from '@flotilla/json';
import { metadataOffset } from './stored-text.ts';

/**
 * Parses stored records without their FieldsV1 values, and inserts these values afterwards. Parsing FieldsV1 would take
 * most of the time. Most objects of a kind have equal FieldsV1 values, and comparing their texts is much faster than
 * parsing them.
 */

/** The placeholder for a FieldsV1 that was removed. It is unambiguous, because no FieldsV1 is a number. */
export const fieldsV1Placeholder = 0;

interface Split {
  /** The text of the record with `fieldsV1Placeholder` in place of each FieldsV1. */
  readonly text: string;
  /** The removed FieldsV1, in the order of the managedFields entries. */
  readonly fields: readonly JsonObject[];
}

const entriesMember = '"managedFields":[';
const fieldsMember = '"fieldsV1":';

/**
 * Parses a stored record. Returns `undefined` if the record has no FieldsV1, or if another part of the record has the
 * same text as the start of managedFields. The caller must then parse the whole text.
 */
export function parseWithKnownFieldsV1(text: string): JsonValue | undefined {
  const split = splitFields(text);
  if (split === undefined) return undefined;
  const document = parseTrustedJson(split.text);
  return isJsonObject(document) && putFields(document.object, split.fields) ? document : undefined;
}

/** Removes each FieldsV1 from the text of a record; `undefined` if the record has none. */
function splitFields(text: string): Split | undefined {
  const metadata = metadataOffset(text);
  // A match cannot be inside of a label or an annotation by mistake, because quotes in a JSON string are escaped.
  const found = metadata === -1 ? -1 : text.indexOf(entriesMember, metadata);
  if (found === -1) return undefined;
  const fields: JsonObject[] = [];
  let shortened = '';
  let copiedTo = 0;
  let at = found + entriesMember.length;
  while (text.startsWith('{"', at)) {
    do {
      const keyAt = at + 1;
      const valueAt = skipJson(text, keyAt) + 1;
      if (!text.startsWith(fieldsMember, keyAt) || text[valueAt] !== '{') {
        at = skipJson(text, valueAt);
        continue;
      }
      at = endOfFields(text, valueAt, fields);
      shortened += text.slice(copiedTo, valueAt) + fieldsV1Placeholder;
      copiedTo = at;
    } while (text[at] === ',');
    at += text[at + 1] === ',' ? 2 : 1;
  }
  return fields.length === 0 ? undefined : { text: shortened + text.slice(copiedTo), fields };
}

function endOfFields(text: string, at: number, found: JsonObject[]): number {
  const latest = latestFields();
  const latestEnd = at + (latest?.text.length ?? 0);
  // Most FieldsV1 values equal the one that was read last. Comparing the two texts is several times as fast as
  // searching for the end of the value.
  if (latest !== undefined && text.slice(at, latestEnd) === latest.text) {
    found.push(latest.fields);
    return latestEnd;
  }
  const end = skipJson(text, at);
  found.push(fieldsFromText(text.slice(at, end)));
  return end;
}

/**
 * Replaces the placeholders in the object's managedFields by `fields`, in place. Returns false if the number of
 * placeholders differs from the number of `fields`. `splitFields` then mistook another part of the record for
 * managedFields.
 */
function putFields(object: JsonValue | undefined, fields: readonly JsonObject[]): boolean {
  const metadata = isJsonObject(object) ? object.metadata : undefined;
  const entries = isJsonObject(metadata) ? metadata.managedFields : undefined;
  if (!Array.isArray(entries)) return false;
  let next = 0;
  for (const entry of entries) {
    if (!isJsonObject(entry) || entry.fieldsV1 !== fieldsV1Placeholder) continue;
    const fieldsV1 = fields[next++];
    if (fieldsV1 !== undefined) entry.fieldsV1 = fieldsV1;
  }
  return next === fields.length;
}

const placeholderMember = `${fieldsMember}${fieldsV1Placeholder}`;

/** Returns the text of a record, given its text with placeholders and the texts of its FieldsV1 in the same order. */
export function insertFieldsV1(text: string, fields: readonly string[]): string {
  let joined = '';
  let copiedTo = 0;
  let at = metadataOffset(text);
  for (const fieldsText of fields) {
    at = text.indexOf(placeholderMember, at);
    if (at === -1) throw new Error('the record has fewer placeholders than FieldsV1');
    at += placeholderMember.length - 1;
    joined += text.slice(copiedTo, at) + fieldsText;
    copiedTo = ++at;
  }
  return joined + text.slice(copiedTo);
}
