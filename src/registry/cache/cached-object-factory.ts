import type { Change } from '../../store/store.ts';
import type { StoredRecord, StoredResource } from '../resource.ts';
import { type BuiltinObject, deletedBuiltinMarker } from './builtin-object.ts';
import type { PlaneBuiltinObjects } from './builtin-objects.ts';
import { CachedChange, type CachedKind, CachedObject } from './cached-object.ts';
import type { ObjectKey } from './object-index.ts';

/** Creates cached objects from the rows of a kind and from its built-in objects. */
export class CachedObjectFactory {
  readonly #builtinObjects: PlaneBuiltinObjects | undefined;
  #kind: CachedKind;

  constructor(kind: CachedKind, standing: PlaneBuiltinObjects | undefined) {
    this.#kind = kind;
    this.#builtinObjects = standing;
  }

  get kind(): CachedKind {
    return this.#kind;
  }

  /** Sets the definition of the kind for all objects that are created after this call. */
  redefine(resource: StoredResource): CachedKind {
    this.#kind = { ...this.#kind, resource };
    return this.#kind;
  }

  /** Returns the built-in objects of the kind, with the metadata that they have in this plane. */
  builtinObjects(): CachedObject[] {
    return (this.#builtinObjects?.kind.objects ?? []).map((object) => this.#createBuiltin(object));
  }

  isBuiltin(key: ObjectKey): boolean {
    return this.#builtinObjects?.kind.at(key) !== undefined;
  }

  /**
   * Returns the object that the row `value` describes. If there is no row, returns the built-in object with this key.
   * `undefined` if there is neither a row nor a built-in object, or if the row marks the object as deleted.
   */
  at(key: ObjectKey, value: string | undefined, revision: number, record?: StoredRecord): CachedObject | undefined {
    if (value === deletedBuiltinMarker) return undefined;
    if (value !== undefined) return new CachedObject(this.#kind, key, value, revision).withRecord(record);
    const builtin = this.#builtinObjects?.kind.at(key);
    return builtin && this.#createBuiltin(builtin);
  }

  change({ key: rowKey, value, previous, revision }: Change): CachedChange {
    const key = objectKeyFromSegments(rowKey.segments);
    const before = this.at(key, previous?.value, previous?.revision ?? 0);
    return new CachedChange(key, revision, before, this.at(key, value, revision));
  }

  #createBuiltin(object: BuiltinObject): CachedObject {
    return new CachedObject(this.#kind, object, object, this.#kind.planeCreation?.revision ?? 0);
  }
}

/** Returns the object key of a row. The segments of the row's key are `objects`, resource, namespace and name. */
export function objectKeyFromSegments(segments: readonly string[]): ObjectKey {
  return { namespace: segments[2] ?? '', name: segments[3] ?? '' };
}
