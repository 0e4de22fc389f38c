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
import { parseWithKnownFieldsV1 } from '../fast/stored-fields-v1.ts';
import { startsWithForm, withoutManagedFields } from '../fast/stored-text.ts';
import type { ServedForm, StoredRecord } from '../resource.ts';
import type { EncodedRecord } from './encoded-record.ts';

/** The properties of a kind that decide how its objects are encoded and decoded. */
export interface RecordKind extends Pick<ResourceKind, 'builtIn'> {
  readonly form?: ServedForm;
}

/**
 * Returns the text of a record for the store. The text contains no resourceVersion, because the resourceVersion is the
 * revision of the write itself. Custom resources and management kinds are stored with sorted members, the order in
 * which they are served. `before` is the object as it is stored now (`ServedForm.toStored`).
 */
export function encodeRecord(kind: RecordKind, record: StoredRecord, before?: KubeObject): string {
  return writeJson(documentOf(kind, record, before), { sorted: kind.builtIn !== true });
}

function documentOf(kind: RecordKind, { object, hidden }: StoredRecord, before?: KubeObject): JsonObject {
  const { form } = kind;
  const stored = withoutResourceVersion(object);
  const document: JsonObject = {};
  if (isInStorageForm(kind, stored)) document.form = form?.storageFormId ?? '';
  if (hidden !== undefined && !isEmpty(hidden)) document.hidden = hidden;
  document.object = form?.toStored === undefined ? stored : form.toStored(cloneJson(stored), before);
  return document;
}

/**
 * Encodes a record that will be stored and cached. The fast path reuses the texts of unchanged parts. If `isRead` is
 * true, the fast path also returns the decoded record, so that the cache need not decode the text. The plain path calls
 * `encodeRecord`. The plain path is used if fast paths are disabled, for Kubernetes' built-in kinds, and for an object
 * that is not in the storage form of its kind.
 */
export function encodeForCache(
  kind: RecordKind,
  record: StoredRecord,
  { isRead = true, before }: { readonly isRead?: boolean; readonly before?: KubeObject | undefined } = {},
): EncodedRecord {
  const needsConversion = kind.form !== undefined && !isInStorageForm(kind, record.object);
  if (!fastPathsEnabled() || kind.builtIn === true || needsConversion) {
    return { text: encodeRecord(kind, record, before) };
  }
  const toDocument = (each: StoredRecord) => documentOf(kind, each);
  return encodeSharedRecord({ record: withoutUnstoredParts(record), toDocument, isRead });
}

function withoutUnstoredParts({ object, hidden }: StoredRecord): StoredRecord {
  const stored = withoutResourceVersion(object);
  return hidden === undefined || isEmpty(hidden) ? { object: stored } : { object: stored, hidden };
}

function isEmpty(members: JsonObject): boolean {
  for (const _ in members) return false;
  return true;
}

/**
 * True if the object is in the storage form of its kind. Its record is then marked with `form.storageFormId` and needs
 * no conversion later. False for an object of another version, for example if the kind was redefined during the write.
 */
function isInStorageForm({ form }: RecordKind, { apiVersion }: KubeObject): boolean {
  return form?.storageFormId !== undefined && apiVersion === form.storedVersion;
}

/** True if the record is stored in the form that clients see and needs no conversion. */
export function isInServedForm({ form }: RecordKind, text: string): boolean {
  if (form === undefined) return true;
  if (form.storageFormId === undefined) return false;
  if (fastPathsEnabled()) return startsWithForm(text, form.storageFormId);
  return (parseTrustedJson(text) as JsonObject).form === form.storageFormId;
}

/** Decodes a record and converts it to the served form. The result is frozen, because readers share it. */
export function decodeRecord(text: string, kind: RecordKind = {}): StoredRecord {
  const record = parseRecord(text, kind);
  deepFreeze(record.object);
  if (record.hidden !== undefined) deepFreeze(record.hidden);
  return record;
}

/**
 * Decodes a record and converts it to the served form without freezing the result. For callers that do not share the
 * result.
 */
export function parseRecord(text: string, kind: RecordKind = {}): StoredRecord {
  return recordOf(parseDocument(text), text, kind);
}

/**
 * Decodes a record without managedFields and does not freeze the result. On the fast path, managedFields remain if they
 * cannot be cut from the text easily.
 */
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
  const document = (fastPathsEnabled() ? parseWithKnownFieldsV1(text) : undefined) ?? parseTrustedJson(text);
  if (!isJsonObject(document)) throw new Error('stored record is not a JSON object');
  return document;
}

export function withoutResourceVersion(object: KubeObject): KubeObject {
  if (object.metadata.resourceVersion === undefined) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * Returns a copy of the object with the given resourceVersion. Only the root and the metadata are copied.
 * `resourceVersion` is inserted at its final place, so that metadata need not be sorted again: in name order, or after
 * the uid for Kubernetes' built-in kinds.
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
