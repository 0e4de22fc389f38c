import type { KubeObject, ObjectMeta } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import { parseTrustedJson } from '../lib/json-parse.ts';
import { deepFreeze, isJsonObject, type JsonObject, type JsonValue } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';
import type { StoredRecord } from './resource.ts';

/**
 * The text that lies in the store. It holds no resourceVersion: that is the revision of the write itself. Own kinds
 * are stored with sorted members, so that what is read needs no sorting when it is served.
 */
export function encodeRecord(kind: Pick<ResourceKind, 'builtIn'>, record: StoredRecord): string {
  const { object, hidden } = record;
  const document: JsonObject = { object: withoutResourceVersion(object) };
  if (hidden !== undefined && Object.keys(hidden).length > 0) document.hidden = hidden;
  return writeJson(document, { sorted: kind.builtIn !== true });
}

/** Frozen: it is shared by everyone from here on. */
export function decodeRecord(text: string): StoredRecord {
  const document = deepFreeze(parseTrustedJson(text));
  if (!isJsonObject(document)) throw new Error('a stored record is not an object');
  const { object, hidden } = document;
  return { object: object as KubeObject, ...(isJsonObject(hidden) ? { hidden } : {}) };
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
