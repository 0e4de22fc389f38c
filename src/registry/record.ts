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

/** What of a kind decides how its objects are written and read. */
export interface RecordKind extends Pick<ResourceKind, 'builtIn'> {
  readonly form?: ServedForm;
}

/**
 * The text that lies in the store. It holds no resourceVersion: that is the revision of the write itself. Own kinds
 * are stored with sorted members, so that what is read needs no sorting when it is served.
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

/** A record on its way into the store. */
export interface EncodedRecord {
  readonly text: string;
  /** What `decodeRecord` gives for the text, where that is known without reading it. */
  readonly record?: StoredRecord;
}

/**
 * Encodes a record whose reader is near: it need not be read again, where `isRead` says that somebody will. Parts that
 * are frozen are shared with it.
 */
export function encodeShared(
  kind: RecordKind,
  record: StoredRecord,
  isRead = true,
  document?: SentDocument,
): EncodedRecord {
  const isTurned = kind.form !== undefined && !isMarked(kind, record.object);
  if (kind.builtIn === true || isTurned) return { text: encodeRecord(kind, record) };
  if (document !== undefined) return encodeSent(kind, record, isRead, document);
  // Most of the field ownership is known by its text, which need not be made then.
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

/** The same of what shares its large parts with the document that it was sent as, and with it their texts. */
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

/** The record with the FieldsV1 that were left out, frozen as all of it is. */
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

/** A write that began in another version, before the kind was redefined, is stored as what it is. */
function isMarked({ form }: RecordKind, { apiVersion }: KubeObject): boolean {
  return form?.mark !== undefined && apiVersion === form.storedVersion;
}

/** Whether the text was written in the form in which it is to be served. */
export function isInForm({ form }: RecordKind, text: string): boolean {
  if (form === undefined) return true;
  return form.mark !== undefined && text.startsWith(`{"form":"${form.mark}",`);
}

/** In the form of the kind. Frozen: it is shared by everyone from here on. */
export function decodeRecord(text: string, kind: RecordKind = {}): StoredRecord {
  const record = parseRecord(text, kind);
  deepFreeze(record.object);
  if (record.hidden !== undefined) deepFreeze(record.hidden);
  return record;
}

/** The same for one who looks at it and lets it go. */
export function parseRecord(text: string, kind: RecordKind = {}): StoredRecord {
  return recordOf(parseDocument(text), text, kind);
}

/** The same without managedFields, as a rule. */
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
  if (!isJsonObject(document)) throw new Error('a stored record is not an object');
  if (split === undefined || putFields(document.object, split.fields)) return document;
  return parseTrustedJson(text) as JsonObject;
}

export function withoutResourceVersion(object: KubeObject): KubeObject {
  if (object.metadata.resourceVersion === undefined) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * The object as it is served at that revision. Shares everything but the root and the metadata. The new member is put
 * where it belongs (sorted, or after the uid for kinds in struct order), so that nothing has to be sorted again.
 */
export function withResourceVersion(
  kind: Pick<ResourceKind, 'builtIn'>,
  object: KubeObject,
  revision: number,
): KubeObject {
  const metadata: Record<string, JsonValue> = {};
  let placed = false;
  const place = () => {
    placed = true;
    metadata.resourceVersion = String(revision);
  };
  for (const [key, value] of Object.entries(object.metadata)) {
    if (key === 'resourceVersion') continue;
    if (!placed && kind.builtIn !== true && key > 'resourceVersion') place();
    metadata[key] = value as JsonValue;
    if (!placed && kind.builtIn === true && key === 'uid') place();
  }
  if (!placed) place();
  return { ...object, metadata: metadata as ObjectMeta };
}
