import { createHash } from 'node:crypto';
import { removeOwnership, trackUpdate } from '@flotilla/field-ownership';
import { canonicalJson, deepFreeze } from '@flotilla/json';
import type { KubeObject, Timestamp } from '../../api/meta.ts';
import type { StoredRecord, StoredResource } from '../resource.ts';
import { encodeRecord } from '../rows/record.ts';
import { resourceKey } from '../rows/rows.ts';
import { trackedKindOf } from '../tracked-kind.ts';
import { normalizeMetadata } from '../write/metadata.ts';
import type { ObjectKey } from './object-index.ts';

/** Describes the creation of a plane. The metadata of the plane's built-in objects is derived from it. */
export interface PlaneCreation {
  /** A string that is unique per plane. The uids of the plane's built-in objects are derived from it. */
  readonly seed: string;
  readonly createdAt: Timestamp;
  /**
   * The revision of the row that records the creation of the plane. It is the resourceVersion of built-in objects that
   * were never changed.
   */
  readonly revision: number;
}

/** The row value that marks a built-in object as deleted. It cannot be confused with a record, which is never empty. */
export const deletedBuiltinMarker = '';

/**
 * The field manager of built-in objects. In Kubernetes, kube-apiserver creates these objects under this field manager.
 */
const fieldManager = 'kube-apiserver';
const placeholderTime: Timestamp = '2000-01-01T00:00:00Z';

/**
 * An object that exists in every plane without a stored row, such as a default role. All planes of the process share
 * one instance, and the uid, creation time and resourceVersion are derived per plane on demand. managedFields are also
 * computed on demand, because computing them for all built-in objects would delay the start.
 */
export class BuiltinObject implements ObjectKey {
  readonly namespace: string;
  readonly name: string;
  readonly #resource: StoredResource;
  readonly #definition: KubeObject;
  #tracked: KubeObject | undefined;
  #size: number | undefined;

  constructor(resource: StoredResource, definition: KubeObject) {
    this.namespace = definition.metadata.namespace ?? '';
    this.name = definition.metadata.name ?? '';
    this.#resource = resource;
    this.#definition = definition;
  }

  get labels(): Readonly<Record<string, string>> | undefined {
    return this.#definition.metadata.labels;
  }

  /** The length of the object's encoded record in characters. It is an estimate of the memory that the object uses. */
  get size(): number {
    this.#size ??= encodeRecord(
      this.#resource,
      this.recordIn({ seed: '', createdAt: placeholderTime, revision: 0 }),
    ).length;
    return this.#size;
  }

  get #object(): KubeObject {
    if (this.#tracked === undefined) {
      const resource = this.#resource;
      const generation = resource.builtIn === true ? {} : { generation: 1 };
      const next: KubeObject = { ...this.#definition, metadata: { ...this.#definition.metadata, ...generation } };
      const tracked = trackUpdate({
        kind: trackedKindOf(resource),
        next,
        manager: fieldManager,
        subresource: '',
        now: placeholderTime,
      });
      const managedFields = removeOwnership(tracked.metadata.managedFields, resource.unownedFields ?? []) ?? [];
      this.#tracked = deepFreeze({ ...tracked, metadata: { ...tracked.metadata, managedFields } });
    }
    return this.#tracked;
  }

  /** Returns the record of this object in the given plane, frozen. All planes share everything except the metadata. */
  recordIn({ seed, createdAt }: PlaneCreation): StoredRecord {
    const { metadata } = this.#object;
    const ownMetadata = normalizeMetadata({
      ...metadata,
      uid: uidOf(seed, resourceKey(this.#resource), this),
      creationTimestamp: createdAt,
      managedFields: (metadata.managedFields ?? []).map((entry) => ({ ...entry, time: createdAt })),
    });
    const object: KubeObject = { ...this.#object, metadata: ownMetadata };
    return { object: deepFreeze(this.#resource.builtIn === true ? object : canonicalJson(object)) };
  }
}

/**
 * Returns a name-based UUID (version 5). An object of a plane always has the same UUID, but the objects with this key
 * in other planes have other UUIDs.
 */
function uidOf(seed: string, resource: string, { namespace, name }: ObjectKey): string {
  const hash = createHash('sha1').update([seed, resource, namespace, name].join('\u0000')).digest('hex');
  const variant = ((Number.parseInt(hash.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `5${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
