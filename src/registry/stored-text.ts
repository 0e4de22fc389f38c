import { findMember, skipJson, skipOut, walkMembers } from '../lib/json-skip.ts';
import { latestFields } from './apply/known-fields.ts';

/**
 * What can be told of a stored record by its text alone. Own kinds are stored with sorted members, so the text of a
 * record is the text that is served but for the resourceVersion.
 */
export type Labels = Readonly<Record<string, string>>;

/** Undefined: it has none. Frozen. */
export function labelsIn(text: string): Labels | undefined {
  const metadata = metadataAt(text);
  const at = metadata === -1 ? -1 : findMember(text, metadata, 'labels');
  return at === -1 ? undefined : Object.freeze(JSON.parse(text.slice(at, skipJson(text, at))) as Labels);
}

/** The text without the managedFields of its object: a third of it, and most of what takes long to parse. */
export function withoutManagedFields(text: string): string {
  let from = -1;
  const visit = (keyAt: number, keyEnd: number) => {
    if (from !== -1) return true;
    if (keyEnd - keyAt === managedFields.length && text.startsWith(managedFields, keyAt)) from = keyAt;
    return false;
  };
  const end = walkMembers(text, metadataAt(text), visit, skipEntries);
  // What follows begins with the next member, as a rule its name.
  return from === -1 || text[end] !== '"' ? text : text.slice(0, from) + text.slice(end);
}

/** The metadata without its managedFields. */
export function bareMetadataText(text: string): string {
  const bare = withoutManagedFields(text);
  const from = metadataAt(bare);
  return bare.slice(from, skipJson(bare, from));
}

const managedFields = '"managedFields"';

/** The metadata as it is served, with its resourceVersion at `place`. */
export function metadataText(text: string, place: number, revision: number): string {
  const end = skipOut(text, place, 1);
  return text.slice(metadataAt(text), place) + versionMember(text, place, revision) + text.slice(place, end);
}

/**
 * Where the resourceVersion belongs: before the first member of metadata that sorts behind it. Only for kinds with
 * sorted members.
 */
export function versionPlace(text: string): number {
  return walkMembers(text, metadataAt(text), (keyAt, keyEnd) => isAfterVersion(text, keyAt, keyEnd), skipEntries);
}

/** Field ownership is the longest of all that comes before, and as a rule the one that was met last. */
function skipEntries(text: string, at: number): number {
  const latest = text.startsWith('[{', at) ? latestFields() : undefined;
  if (latest === undefined) return skipJson(text, at);
  const fields = findMember(text, at + 1, 'fieldsV1');
  const end = fields + latest.text.length;
  return fields !== -1 && text.slice(fields, end) === latest.text ? skipOut(text, end, 2) : skipJson(text, at);
}

/** The served object with its resourceVersion, which stands at `place`, in three parts. */
export function servedParts(text: string, place: number, revision: number): readonly [string, string, string] {
  return [text.slice(objectAt(text), place), versionMember(text, place, revision), text.slice(place, -1)];
}

/** With the comma that it needs there. */
function versionMember(text: string, place: number, revision: number): string {
  const member = `"resourceVersion":"${revision}"`;
  if (text[place] !== '}') return `${member},`;
  return text[place - 1] === '{' ? member : `,${member}`;
}

function objectAt(text: string): number {
  // Most have nothing hidden: then the object is the first member, or comes behind its form.
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

/** Where the object's metadata begins; -1: it has none. */
export function metadataAt(text: string): number {
  return findMember(text, objectAt(text), 'metadata');
}

const version = 'resourceVersion';
const r = version.charCodeAt(0);

function isAfterVersion(text: string, keyAt: number, keyEnd: number): boolean {
  if (text.charCodeAt(keyAt + 1) < r) return false;
  // None of the names that metadata has needs an escape.
  return text.slice(keyAt + 1, keyEnd - 1) > version;
}
