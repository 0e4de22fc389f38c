import { textOfFields } from '@flotilla/field-ownership';
import { CanonicalJson, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import type { ManagedFieldsEntry } from '../../api/meta.ts';
import type { StoredRecord } from '../resource.ts';
import type { EncodedRecord } from '../rows/encoded-record.ts';
import { fieldsV1Placeholder, insertFieldsV1 } from './stored-fields-v1.ts';

/** The input of `encodeSharedRecord`. */
interface RecordToEncode {
  /** The record to encode. It has no resourceVersion. `hidden` is absent if it is empty. */
  readonly record: StoredRecord;
  readonly toDocument: (record: StoredRecord) => JsonObject;
  /** True if the caller needs the decoded record in addition to the text. */
  readonly isRead: boolean;
}

/**
 * The fast path of `encodeRecord`, for kinds that are stored with sorted members. Reuses the cached texts of FieldsV1
 * values; usually all FieldsV1 values of the record are cached. All other parts are serialized. The decoded record
 * shares its frozen parts with the given record.
 */
export function encodeSharedRecord({ record, toDocument, isRead }: RecordToEncode): EncodedRecord {
  const fields: JsonObject[] = [];
  const texts: string[] = [];
  const standIn = (frozen: JsonObject) => {
    const text = textOfFields(frozen);
    if (text === undefined) return undefined;
    fields.push(frozen);
    texts.push(text);
    return fieldsV1Placeholder;
  };
  const canonical = new CanonicalJson({ standIn, freezes: isRead });
  const stored = canonicalRecord(canonical, record);
  if (!canonical.isPlain) {
    const whole = canonicalRecord(new CanonicalJson(), record);
    const text = writeJson(toDocument(whole));
    return isRead ? { text, record: whole } : { text };
  }
  const text = insertFieldsV1(JSON.stringify(toDocument(stored)), texts);
  return isRead ? { text, record: withFields(stored, fields) } : { text };
}

function canonicalRecord(canonical: CanonicalJson, { object, hidden }: StoredRecord): StoredRecord {
  const canonicalHidden = hidden === undefined ? undefined : canonical.of(hidden);
  const canonicalObject = canonical.of(object);
  return canonicalHidden === undefined
    ? { object: canonicalObject }
    : { object: canonicalObject, hidden: canonicalHidden };
}

/** Replaces the placeholders in managedFields by the FieldsV1 that they stand for. Returns a frozen copy. */
function withFields(record: StoredRecord, fields: readonly JsonObject[]): StoredRecord {
  if (fields.length === 0) return record;
  let next = 0;
  const metadata = { ...record.object.metadata };
  metadata.managedFields = (metadata.managedFields ?? []).map((entry) => {
    const copy: ManagedFieldsEntry = { ...entry };
    if ((entry.fieldsV1 as JsonValue) === fieldsV1Placeholder) copy.fieldsV1 = fields[next++] ?? {};
    return Object.freeze(copy);
  });
  Object.freeze(metadata.managedFields);
  const object = { ...record.object };
  object.metadata = Object.freeze(metadata);
  return record.hidden === undefined
    ? { object: Object.freeze(object) }
    : { object: Object.freeze(object), hidden: record.hidden };
}
