import { fastPathsEnabled } from '@flotilla/fast-paths';
import {
  cloneJson,
  deepFreeze,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseTrustedJson,
  writeJson,
} from '@flotilla/json';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { encodeSharedRecord } from '../fast/encode-shared-record.ts';
import type { RequestDocument } from '../fast/request-document.ts';
import { parseWithKnownFields } from '../fast/stored-fields-v1.ts';
import { startsWithForm, withoutManagedFields } from '../fast/stored-text.ts';
import type { ServedForm, StoredRecord } from '../resource.ts';
import type { EncodedRecord } from './encoded-record.ts';

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

/**
 * Encodes a record for the store and the cache. Plain path: `encodeRecord`; the cache decodes the text. Fast path: reuses
 * texts that are known and, if `isRead` is true, adds the decoded record, which shares frozen parts.
 */
export function encodeForCache(
  kind: RecordKind,
  record: StoredRecord,
  isRead = true,
  sent?: RequestDocument,
): EncodedRecord {
  const needsConversion = kind.form !== undefined && !isMarked(kind, record.object);
  if (!fastPathsEnabled() || kind.builtIn === true || needsConversion) return { text: encodeRecord(kind, record) };
  const toDocument = (each: StoredRecord) => documentOf(kind, each);
  return encodeSharedRecord({ record: withoutUnstoredParts(record), toDocument, isRead, sent });
}

function withoutUnstoredParts({ object, hidden }: StoredRecord): StoredRecord {
  const stored = withoutResourceVersion(object);
  return hidden === undefined || isEmpty(hidden) ? { object: stored } : { object: stored, hidden };
}

function isEmpty(members: JsonObject): boolean {
  for (const _ in members) return false;
  return true;
}

/** A write that started in another version, before the kind was redefined, is stored without the mark. */
function isMarked({ form }: RecordKind, { apiVersion }: KubeObject): boolean {
  return form?.mark !== undefined && apiVersion === form.storedVersion;
}

/** True if the text is stored in the form in which it is served. */
export function isInServedForm({ form }: RecordKind, text: string): boolean {
  if (form === undefined) return true;
  if (form.mark === undefined) return false;
  if (fastPathsEnabled()) return startsWithForm(text, form.mark);
  return (parseTrustedJson(text) as JsonObject).form === form.mark;
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

/** The same without managedFields. The fast path leaves them in if they are not easily removed from the text. */
export function parseRecordWithoutManagedFields(text: string, kind: RecordKind): StoredRecord {
  if (fastPathsEnabled()) return recordOf(parseTrustedJson(withoutManagedFields(text)) as JsonObject, text, kind);
  const record = parseRecord(text, kind);
  delete record.object.metadata.managedFields;
  return record;
}

function recordOf({ object, hidden }: JsonObject, text: string, kind: RecordKind): StoredRecord {
  const served =
    kind.form === undefined || isInServedForm(kind, text) ? object : kind.form.convert(object as KubeObject);
  return isJsonObject(hidden) ? { object: served as KubeObject, hidden } : { object: served as KubeObject };
}

function parseDocument(text: string): JsonObject {
  const document = (fastPathsEnabled() ? parseWithKnownFields(text) : undefined) ?? parseTrustedJson(text);
  if (!isJsonObject(document)) throw new Error('stored record is not a JSON object');
  return document;
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
