import { findMember, skipJson, skipOut, walkMembers } from '@flotilla/json';
import { latestFields } from '../apply/fast/fields-cache.ts';

/**
 * Functions that read a stored record from its text without parsing it. Kinds of our own are stored with sorted
 * members, so the text of a record equals the served text except for the resourceVersion.
 */
export type Labels = Readonly<Record<string, string>>;

/** True if the record has this form: `form` sorts before all other members. */
export function startsWithForm(text: string, form: string): boolean {
  return text.startsWith(`{"form":"${form}",`);
}

/** Returns the labels, frozen; `undefined` if there are none. */
export function labelsIn(text: string): Labels | undefined {
  const metadata = metadataOffset(text);
  const at = metadata === -1 ? -1 : findMember(text, metadata, 'labels');
  return at === -1 ? undefined : Object.freeze(JSON.parse(text.slice(at, skipJson(text, at))) as Labels);
}

/** Returns the text without the object's managedFields: a third of it, and most of the parsing time. */
export function withoutManagedFields(text: string): string {
  let from = -1;
  const visit = (keyAt: number, keyEnd: number) => {
    if (from !== -1) return true;
    if (keyEnd - keyAt === managedFields.length && text.startsWith(managedFields, keyAt)) from = keyAt;
    return false;
  };
  const end = walkMembers(text, metadataOffset(text), visit, skipManagedFields);
  // The next character is usually the quote of the next member's name.
  return from === -1 || text[end] !== '"' ? text : text.slice(0, from) + text.slice(end);
}

/** Returns the text of the metadata without managedFields. */
export function metadataTextWithoutManagedFields(text: string): string {
  const bare = withoutManagedFields(text);
  const from = metadataOffset(bare);
  return bare.slice(from, skipJson(bare, from));
}

const managedFields = '"managedFields"';

/** Returns the metadata as it is served, with its resourceVersion at `offset`. */
export function metadataText(text: string, offset: number, revision: number): string {
  const end = skipOut(text, offset, 1);
  return text.slice(metadataOffset(text), offset) + versionMember(text, offset, revision) + text.slice(offset, end);
}

/**
 * Returns the offset at which to insert the resourceVersion: before the first member of metadata that sorts after it.
 * Only for kinds with sorted members.
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
 * Skips managedFields. They are the longest member before that offset, and their FieldsV1 is usually the latest one.
 */
function skipManagedFields(text: string, at: number): number {
  const latest = text.startsWith('[{', at) ? latestFields() : undefined;
  if (latest === undefined) return skipJson(text, at);
  const fields = findMember(text, at + 1, 'fieldsV1');
  const end = fields + latest.text.length;
  return fields !== -1 && text.slice(fields, end) === latest.text ? skipOut(text, end, 2) : skipJson(text, at);
}

/** Returns the served object in three parts; the second is its resourceVersion, inserted at `offset`. */
export function servedParts(text: string, offset: number, revision: number): readonly [string, string, string] {
  return [text.slice(objectOffset(text), offset), versionMember(text, offset, revision), text.slice(offset, -1)];
}

/** Includes the comma that is needed at that position. */
function versionMember(text: string, offset: number, revision: number): string {
  const member = `"resourceVersion":"${revision}"`;
  if (text[offset] !== '}') return `${member},`;
  return text[offset - 1] === '{' ? member : `,${member}`;
}

function objectOffset(text: string): number {
  // Most records have no hidden part: then the object is the first member, or follows the form.
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

/** Returns the offset of the object's metadata; -1 if it has none. */
export function metadataOffset(text: string): number {
  return findMember(text, objectOffset(text), 'metadata');
}

const version = 'resourceVersion';
const r = version.charCodeAt(0);

function isAfterVersion(text: string, keyAt: number, keyEnd: number): boolean {
  if (text.charCodeAt(keyAt + 1) < r) return false;
  // None of the member names of metadata needs an escape.
  return text.slice(keyAt + 1, keyEnd - 1) > version;
}
