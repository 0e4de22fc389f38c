import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import { CanonicalJson } from '../lib/json-canonical.ts';
import { parseTrustedJson } from '../lib/json-parse.ts';
import { cloneJson, deepFreeze, isJsonObject, type JsonObject, type JsonValue } from '../lib/json-value.ts';
import { type KnownText, writeJson, writeKnown } from '../lib/json-write.ts';
import { textOfEntries } from './apply/created-entries.ts';
import { textOfFields } from './apply/known-fields.ts';
import type { ServedForm, StoredRecord } from './resource.ts';
import type { SentDocument } from './sent-document.ts';
import { joinFields, leftOut, putFields, splitFields } from './stored-fields.ts';
import { withoutManagedFields } from './stored-text.ts';

/** The part of a kind that decides how its objects are encoded and decoded. */
export interface RecordKind extends Pick<ResourceKind, 'builtIn'> {
  readonly form?: ServedForm;
}

/**
 * Returns the text to store. It contains no resourceVersion, which is the revision of the write itself. Kinds of our
 * own are stored with sorted members, so that serving them needs no sorting.
 */
export function encodeRecord(kind: RecordKind, record: StoredRecord): string {
  return writeJson(documentOf(kind, record), { sorted: kind.builtIn !== true });
}

function documentOf(kind: RecordKind, { object, hidden }: StoredRecord): JsonObject {
  const { form } = kind;
  const stored = withoutResourceVersion(object);
  const document: JsonObject = {};
  if (isMarked(kind, stored)) document.form = form?.mark ?? '';
  if (hidden !== undefined && !isEmpty(hidden)) document.hidden = hidden;
  document.object = form?.toStored === undefined ? stored : form.toStored(cloneJson(stored));
  return document;
}

/** A record to be stored. */
export interface EncodedRecord {
  readonly text: string;
  /** The result of `decodeRecord` for the text, if it is known without decoding. */
  readonly record?: StoredRecord;
}

/**
 * Encodes a record for the store and the cache. If `isRead` is true, the result contains the decoded record as well, so
 * that the cache need not decode the text. The record shares frozen parts.
 */
export function encodeShared(
  kind: RecordKind,
  record: StoredRecord,
  isRead = true,
  document?: SentDocument,
): EncodedRecord {
  const needsConversion = kind.form !== undefined && !isMarked(kind, record.object);
  if (kind.builtIn === true || needsConversion) return { text: encodeRecord(kind, record) };
  if (document !== undefined) return encodeSent(kind, record, isRead, document);
  // The text of most FieldsV1 is known and need not be generated.
  const fields: JsonObject[] = [];
  const texts: string[] = [];
  const canonical = new CanonicalJson((frozen) => {
    const text = textOfFields(frozen);
    if (text === undefined) return undefined;
    fields.push(frozen);
    texts.push(text);
    return leftOut;
  });
  const stored = canonicalRecord(canonical, record);
  if (!canonical.isPlain) {
    const whole = canonicalRecord(new CanonicalJson(), record);
    return { text: writeJson(documentOf(kind, whole)), record: whole };
  }
  const text = joinFields(JSON.stringify(documentOf(kind, stored)), texts);
  return isRead ? { text, record: withFields(stored, fields) } : { text };
}

/** The same for a record that shares large parts, and therefore their texts, with its request document. */
function encodeSent(kind: RecordKind, record: StoredRecord, isRead: boolean, document: SentDocument): EncodedRecord {
  const known: KnownText = (part) =>
    document.textOf(part) ?? (Array.isArray(part) ? textOfEntries(part) : textOfFields(part));
  const text = writeKnown(documentOf(kind, record), known);
  return isRead ? { text, record: canonicalRecord(new CanonicalJson((frozen) => frozen), record) } : { text };
}

function canonicalRecord(canonical: CanonicalJson, record: StoredRecord): StoredRecord {
  const hidden = record.hidden === undefined ? undefined : canonical.of(record.hidden);
  const object = canonical.of(withoutResourceVersion(record.object));
  return hidden === undefined || isEmpty(hidden) ? { object } : { object, hidden };
}

function isEmpty(members: JsonObject): boolean {
  for (const _ in members) return false;
  return true;
}

/** Returns the record with the omitted FieldsV1, frozen like the rest. */
function withFields(record: StoredRecord, fields: readonly JsonObject[]): StoredRecord {
  if (fields.length === 0) return record;
  let next = 0;
  const metadata = { ...record.object.metadata };
  metadata.managedFields = (metadata.managedFields ?? []).map((entry) => {
    const copy: ManagedFieldsEntry = { ...entry };
    if ((entry.fieldsV1 as JsonValue) === leftOut) copy.fieldsV1 = fields[next++] ?? {};
    return Object.freeze(copy);
  });
  Object.freeze(metadata.managedFields);
  const object = { ...record.object };
  object.metadata = Object.freeze(metadata);
  return record.hidden === undefined
    ? { object: Object.freeze(object) }
    : { object: Object.freeze(object), hidden: record.hidden };
}

/** A write that started in another version, before the kind was redefined, is stored without the mark. */
function isMarked({ form }: RecordKind, { apiVersion }: KubeObject): boolean {
  return form?.mark !== undefined && apiVersion === form.storedVersion;
}

/** True if the text is stored in the form in which it is served. */
export function isInForm({ form }: RecordKind, text: string): boolean {
  if (form === undefined) return true;
  return form.mark !== undefined && text.startsWith(`{"form":"${form.mark}",`);
}

/** Returns the record in the served form. Frozen, as it is shared from here on. */
export function decodeRecord(text: string, kind: RecordKind = {}): StoredRecord {
  const record = parseRecord(text, kind);
  deepFreeze(record.object);
  if (record.hidden !== undefined) deepFreeze(record.hidden);
  return record;
}

/** The same for a reader that does not keep the record: not frozen. */
export function parseRecord(text: string, kind: RecordKind = {}): StoredRecord {
  return recordOf(parseDocument(text), text, kind);
}

/** The same, usually without managedFields. */
export function parseBareRecord(text: string, kind: RecordKind): StoredRecord {
  return recordOf(parseTrustedJson(withoutManagedFields(text)) as JsonObject, text, kind);
}

function recordOf({ object, hidden }: JsonObject, text: string, kind: RecordKind): StoredRecord {
  const served = kind.form === undefined || isInForm(kind, text) ? object : kind.form.turn(object as KubeObject);
  return isJsonObject(hidden) ? { object: served as KubeObject, hidden } : { object: served as KubeObject };
}

function parseDocument(text: string): JsonObject {
  const split = splitFields(text);
  const document = parseTrustedJson(split?.text ?? text);
  if (!isJsonObject(document)) throw new Error('stored record is not a JSON object');
  if (split === undefined || putFields(document.object, split.fields)) return document;
  return parseTrustedJson(text) as JsonObject;
}

export function withoutResourceVersion(object: KubeObject): KubeObject {
  if (object.metadata.resourceVersion === undefined) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * Returns the object as it is served at that revision. Shares everything but the root and the metadata. The new member
 * is inserted in its place (sorted, or after the uid for kinds in struct order), so that nothing has to be sorted
 * again.
 */
export function withResourceVersion(
  kind: Pick<ResourceKind, 'builtIn'>,
  object: KubeObject,
  revision: number,
): KubeObject {
  const metadata: Record<string, JsonValue> = {};
  let inserted = false;
  const insert = () => {
    inserted = true;
    metadata.resourceVersion = String(revision);
  };
  for (const [key, value] of Object.entries(object.metadata)) {
    if (key === 'resourceVersion') continue;
    if (!inserted && kind.builtIn !== true && key > 'resourceVersion') insert();
    metadata[key] = value as JsonValue;
    if (!inserted && kind.builtIn === true && key === 'uid') insert();
  }
  if (!inserted) insert();
  return { ...object, metadata: metadata as ObjectMeta };
}
