import { ownershipAfterScale, type ScaleParent, scaleOwnership, trackUpdate } from '@flotilla/field-ownership';
import type { JsonValue } from '@flotilla/json';
import { type KubeObject, timestamp } from '../../api/meta.ts';
import { type OwnedKind, trackedKindOf } from '../../registry/tracked-kind.ts';
import { decodeApplied } from '../../registry/verbs/patched-object.ts';
import type { PatchOptions, WriteOptions } from '../../registry/verbs.ts';
import { applyTracked } from '../../registry/write/apply-write.ts';

type ManagedFields = NonNullable<KubeObject['metadata']['managedFields']>;

/** A Scale to write, and the owners of its fields after the write. */
export interface TrackedScale {
  readonly scale: KubeObject;
  readonly managedFields: ManagedFields | undefined;
}

/**
 * Tracks the owners of the fields of a Scale. The owners are the managers that own the replica count of the scaled
 * object.
 */
export class ScaleOwnership {
  readonly #kind: OwnedKind;
  readonly #parent: ScaleParent;

  /** `kind` is the kind Scale. */
  constructor(kind: OwnedKind, parent: ScaleParent) {
    this.#kind = kind;
    this.#parent = parent;
  }

  /** Returns the Scale of an object with the owners of the replica count. */
  withOwners(scale: KubeObject, object: KubeObject): KubeObject {
    const managedFields = scaleOwnership(entriesOf(object), this.#parent);
    return managedFields.length === 0 ? scale : { ...scale, metadata: { ...scale.metadata, managedFields } };
  }

  /** Returns the updated Scale and the owners of its fields. `live` is the Scale before the update, with its owners. */
  updated(live: KubeObject, sent: KubeObject, { fieldManager }: WriteOptions): TrackedScale {
    const { metadata } = trackUpdate({ ...this.#write(fieldManager), live, next: sent });
    return { scale: sent, managedFields: metadata.managedFields };
  }

  /** Merges an applied Scale into the live Scale. Returns the result and its field owners. */
  applied(live: KubeObject, applied: KubeObject, { fieldManager, force }: PatchOptions): TrackedScale {
    const merged = applyTracked({ ...this.#write(fieldManager), live, applied, force });
    const scale = decodeApplied({ resource: this.#kind }, merged);
    return { scale: withoutVersion(scale, applied), managedFields: merged.metadata.managedFields };
  }

  /** Returns the managedFields of the object after a write of its Scale. */
  afterWrite(object: KubeObject, managedFields: ManagedFields | undefined): ManagedFields {
    return ownershipAfterScale(entriesOf(object), managedFields as JsonValue | undefined, this.#parent);
  }

  #write(manager: string) {
    return { kind: trackedKindOf(this.#kind), manager, subresource: 'scale', now: timestamp(Date.now()) };
  }
}

/**
 * Returns the merged Scale with the resourceVersion that the client applied, if any. The resourceVersion of the live
 * object is removed, because it is not a precondition.
 */
function withoutVersion(scale: KubeObject, { metadata }: KubeObject): KubeObject {
  const { resourceVersion: _, ...others } = scale.metadata;
  const { resourceVersion } = metadata;
  return { ...scale, metadata: resourceVersion === undefined ? others : { ...others, resourceVersion } };
}

function entriesOf({ metadata }: KubeObject): JsonValue | undefined {
  return metadata.managedFields as JsonValue | undefined;
}
