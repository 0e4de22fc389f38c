import { isJsonObject, type JsonObject, type JsonValue, parseTrustedJson, skipJson } from '@flotilla/json';
import { fieldsFromText, latestFields } from '../apply/fast/fields-cache.ts';
import { metadataOffset } from './stored-text.ts';

/**
 * Removes the FieldsV1 of a stored record's managedFields before parsing, and puts them back afterwards. Most objects
 * of a kind have the same FieldsV1. Comparing texts detects that, while parsing FieldsV1 takes most of the parsing
 * time.
 */

/** The placeholder for an omitted FieldsV1; no FieldsV1 is a number. */
export const omittedFields = 0;

interface Split {
  /** The record with `omittedFields` in place of each FieldsV1. */
  readonly text: string;
  /** In the order of the managedFields entries. */
  readonly fields: readonly JsonObject[];
}

const entriesMember = '"managedFields":[';
const fieldsMember = '"fieldsV1":';

/**
 * Parses a stored record. Returns `undefined` if this fast path does not apply: the record has no FieldsV1, or another
 * part of it looks like managedFields.
 */
export function parseWithKnownFields(text: string): JsonValue | undefined {
  const split = splitFields(text);
  if (split === undefined) return undefined;
  const document = parseTrustedJson(split.text);
  return isJsonObject(document) && putFields(document.object, split.fields) ? document : undefined;
}

/** Returns `undefined` if the record has no FieldsV1. */
function splitFields(text: string): Split | undefined {
  const metadata = metadataOffset(text);
  // A label or annotation of that name is a string, and quotes in a string are escaped.
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
      shortened += text.slice(copiedTo, valueAt) + omittedFields;
      copiedTo = at;
    } while (text[at] === ',');
    at += text[at + 1] === ',' ? 2 : 1;
  }
  return fields.length === 0 ? undefined : { text: shortened + text.slice(copiedTo), fields };
}

function endOfFields(text: string, at: number, found: JsonObject[]): number {
  const latest = latestFields();
  const latestEnd = at + (latest?.text.length ?? 0);
  // Comparing two strings of equal length is several times as fast as a search.
  if (latest !== undefined && text.slice(at, latestEnd) === latest.text) {
    found.push(latest.fields);
    return latestEnd;
  }
  const end = skipJson(text, at);
  found.push(fieldsFromText(text.slice(at, end)));
  return end;
}

/**
 * Puts the FieldsV1 back, in place. Returns false if they do not belong to this object, because another part of the
 * record looks like managedFields.
 */
function putFields(object: JsonValue | undefined, fields: readonly JsonObject[]): boolean {
  const metadata = isJsonObject(object) ? object.metadata : undefined;
  const entries = isJsonObject(metadata) ? metadata.managedFields : undefined;
  if (!Array.isArray(entries)) return false;
  let next = 0;
  for (const entry of entries) {
    if (!isJsonObject(entry) || entry.fieldsV1 !== omittedFields) continue;
    const fieldsV1 = fields[next++];
    if (fieldsV1 !== undefined) entry.fieldsV1 = fieldsV1;
  }
  return next === fields.length;
}

const leftOutMember = `${fieldsMember}${omittedFields}`;

/** Returns the text of a record, given a text with placeholders and the FieldsV1 texts. */
export function insertFieldsV1(text: string, fields: readonly string[]): string {
  let joined = '';
  let copiedTo = 0;
  let at = metadataOffset(text);
  for (const fieldsText of fields) {
    at = text.indexOf(leftOutMember, at);
    if (at === -1) throw new Error('no placeholder is left for a FieldsV1');
    at += leftOutMember.length - 1;
    joined += text.slice(copiedTo, at) + fieldsText;
    copiedTo = ++at;
  }
  return joined + text.slice(copiedTo);
}
