import { createHash } from 'node:crypto';
import { type KubeObject, parseApiVersion } from '../../api/meta.ts';
import type { StoredResource } from '../resource.ts';
import { resourceKey } from '../rows/rows.ts';
import { BuiltinObject, type PlaneCreation } from './builtin-object.ts';
import type { ObjectKey } from './object-index.ts';

/** The built-in objects of one kind, shared by all planes. */
export class KindBuiltinObjects {
  readonly objects: readonly BuiltinObject[];
  readonly #byKey: ReadonlyMap<string, BuiltinObject>;

  constructor(objects: readonly BuiltinObject[]) {
    this.objects = objects;
    this.#byKey = new Map(objects.map((object) => [objectKeyText(object), object]));
  }

  at(objectKey: ObjectKey): BuiltinObject | undefined {
    return this.#byKey.get(objectKeyText(objectKey));
  }
}

/**
 * The built-in objects of one kind, and the creation data of the plane. The metadata of the objects is derived from the
 * creation data.
 */
export interface PlaneBuiltinObjects {
  readonly kind: KindBuiltinObjects;
  readonly planeCreation: PlaneCreation;
}

/** Formats an object key as `namespace/name`. Neither part contains a slash, so different keys have different texts. */
export function objectKeyText({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

/**
 * The lists of built-in objects of a plane. All planes pass the same array instances, so results computed from a list
 * can be cached with the array instance as the key.
 */
export type BuiltinObjectLists = readonly (readonly KubeObject[])[];

/** Caches the result of `groupByKind` and the digest of each list for the whole process. */
const kindsOfLists = new WeakMap<readonly KubeObject[], ReadonlyMap<string, KindBuiltinObjects>>();
const digestsOfLists = new WeakMap<readonly KubeObject[], string>();

/** Returns the built-in objects, grouped by resource key. Throws if the kind of an object is not among `resources`. */
export function builtinObjectsByKind(
  resources: readonly StoredResource[],
  lists: BuiltinObjectLists,
): ReadonlyMap<string, KindBuiltinObjects> {
  const kinds = new Map<string, KindBuiltinObjects>();
  for (const list of lists) {
    const kindsOfList = kindsOfLists.get(list) ?? groupByKind(resources, list);
    kindsOfLists.set(list, kindsOfList);
    for (const [key, kind] of kindsOfList) {
      const existing = kinds.get(key);
      kinds.set(key, existing === undefined ? kind : new KindBuiltinObjects([...existing.objects, ...kind.objects]));
    }
  }
  return kinds;
}

function groupByKind(
  resources: readonly StoredResource[],
  list: readonly KubeObject[],
): ReadonlyMap<string, KindBuiltinObjects> {
  const byKind = new Map<string, BuiltinObject[]>();
  for (const object of list) {
    const { group } = parseApiVersion(object.apiVersion);
    const resource = resources.find((one) => one.group === group && one.kind === object.kind);
    if (resource === undefined) throw new Error(`built-in object has unknown kind "${object.kind}"`);
    const key = resourceKey(resource);
    byKind.set(key, [...(byKind.get(key) ?? []), new BuiltinObject(resource, object)]);
  }
  return new Map([...byKind].map(([key, objects]) => [key, new KindBuiltinObjects(objects)]));
}

/** Returns a digest of all built-in objects. It differs between two releases if these objects have changed. */
export function builtinObjectsDigest(lists: BuiltinObjectLists): string {
  const hash = createHash('sha256');
  for (const list of lists) {
    const digest = digestsOfLists.get(list) ?? createHash('sha256').update(JSON.stringify(list)).digest('hex');
    digestsOfLists.set(list, digest);
    hash.update(digest);
  }
  return hash.digest('hex').slice(0, 16);
}
