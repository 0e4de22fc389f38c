import { latestFields } from '@flotilla/field-ownership';
import { findMember, type JsonObject, parseTrustedJson, skipJson, skipOut, walkMembers } from '@flotilla/json';

/**
 * The functions in this file read parts of a stored record from its text, without parsing it. They require that the
 * members of the record are sorted. The text of the object in the record then equals the served JSON, except for the
 * resourceVersion.
 */

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/**
 * True if the record is stored in the given form. The member `form` comes first, because it sorts before all other
 * members.
 */
export function startsWithForm(text: string, form: string): boolean {
  return text.startsWith(`{"form":"${form}",`);
}

/** Returns the labels of the object in a record, frozen; `undefined` if there are none. */
export function readLabels(text: string): Labels | undefined {
  const metadata = metadataOffset(text);
  const at = metadata === -1 ? -1 : findMember(text, metadata, 'labels');
  return at === -1 ? undefined : Object.freeze(JSON.parse(text.slice(at, skipJson(text, at))) as Labels);
}

/** Returns the hidden part of a record; `undefined` if there is none. */
export function readHidden(text: string): JsonObject | undefined {
  if (text.startsWith(objectFirst)) return undefined;
  const at = findMember(text, 0, 'hidden');
  return at === -1 ? undefined : (parseTrustedJson(text.slice(at, skipJson(text, at))) as JsonObject);
}

/**
 * Returns the text of a record without managedFields, which are a third of the text and take most of the parsing time.
 */
export function withoutManagedFields(text: string): string {
  let from = -1;
  const visit = (keyAt: number, keyEnd: number) => {
    if (from !== -1) return true;
    if (keyEnd - keyAt === managedFields.length && text.startsWith(managedFields, keyAt)) from = keyAt;
    return false;
  };
  const end = walkMembers(text, metadataOffset(text), visit, skipManagedFields);
  // If another member follows managedFields, `end` is the offset of the quote before its name. Otherwise nothing is
  // cut.
  return from === -1 || text[end] !== '"' ? text : text.slice(0, from) + text.slice(end);
}

/** Returns the JSON of the object's metadata without managedFields. */
export function metadataJsonWithoutManagedFields(text: string): string {
  const bare = withoutManagedFields(text);
  const from = metadataOffset(bare);
  return bare.slice(from, skipJson(bare, from));
}

const managedFields = '"managedFields"';

/** Returns the JSON of the object's metadata as clients see it: with the resourceVersion inserted at `offset`. */
export function servedMetadataJson(text: string, offset: number, revision: number): string {
  const end = skipOut(text, offset, 1);
  return text.slice(metadataOffset(text), offset) + versionMember(text, offset, revision) + text.slice(offset, end);
}

/**
 * Returns the offset at which the resourceVersion must be inserted: before the first member of metadata whose name is
 * greater than `resourceVersion`. The members must be sorted.
 */
export function resourceVersionOffset(text: string): number {
  return walkMembers(
    text,
    metadataOffset(text),
    (keyAt, keyEnd) => isAfterVersion(text, keyAt, keyEnd),
    skipManagedFields,
  );
}

/**
 * Returns the offset after the value of managedFields. Its FieldsV1 usually equals the FieldsV1 that was read last.
 * Comparing the two is faster than searching for the end of the value.
 */
function skipManagedFields(text: string, at: number): number {
  const latest = text.startsWith('[{', at) ? latestFields() : undefined;
  if (latest === undefined) return skipJson(text, at);
  const fields = findMember(text, at + 1, 'fieldsV1');
  const end = fields + latest.text.length;
  return fields !== -1 && text.slice(fields, end) === latest.text ? skipOut(text, end, 2) : skipJson(text, at);
}

/** Returns the JSON of the served object in three parts: before the resourceVersion, the resourceVersion, after it. */
export function servedJsonParts(text: string, offset: number, revision: number): readonly [string, string, string] {
  return [text.slice(objectOffset(text), offset), versionMember(text, offset, revision), text.slice(offset, -1)];
}

/**
 * Returns the text of the member `resourceVersion`, with a comma before or after it, as its place among the members
 * requires.
 */
function versionMember(text: string, offset: number, revision: number): string {
  const member = `"resourceVersion":"${revision}"`;
  if (text[offset] !== '}') return `${member},`;
  return text[offset - 1] === '{' ? member : `,${member}`;
}

function objectOffset(text: string): number {
  // Most records have no hidden part. In such a record, `object` is the first member or follows `form`.
  if (text.startsWith(objectFirst)) return objectFirst.length;
  if (text.startsWith(formFirst)) {
    const end = text.indexOf('"', formFirst.length);
    if (text.startsWith(objectNext, end)) return end + objectNext.length;
  }
  return findMember(text, 0, 'object');
}

const objectFirst = '{"object":';
const formFirst = '{"form":"';
const objectNext = '","object":';

/** Returns the offset of the object's metadata in the text of a record; -1 if the object has none. */
export function metadataOffset(text: string): number {
  return findMember(text, objectOffset(text), 'metadata');
}

const version = 'resourceVersion';
const r = version.charCodeAt(0);

function isAfterVersion(text: string, keyAt: number, keyEnd: number): boolean {
  if (text.charCodeAt(keyAt + 1) < r) return false;
  // The names can be compared as text, because no member of metadata has a name that JSON escapes.
  return text.slice(keyAt + 1, keyEnd - 1) > version;
}
