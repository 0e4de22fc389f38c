import { createHash } from 'node:crypto';
import { type KubeObject, parseApiVersion } from '../api/meta.ts';
import type { Place } from './object-index.ts';
import type { StoredResource } from './resource.ts';
import { resourceKey } from './rows.ts';
import { type PlaneBirth, StandingObject } from './standing-object.ts';

/** The built-in objects of one kind, shared by all planes. */
export class StandingKind {
  readonly objects: readonly StandingObject[];
  readonly #byKey: ReadonlyMap<string, StandingObject>;

  constructor(objects: readonly StandingObject[]) {
    this.objects = objects;
    this.#byKey = new Map(objects.map((object) => [placeText(object), object]));
  }

  at(objectKey: Place): StandingObject | undefined {
    return this.#byKey.get(placeText(objectKey));
  }
}

/** The built-in objects of one kind in one plane. */
export interface StandingHere {
  readonly kind: StandingKind;
  readonly birth: PlaneBirth;
}

/** Neither a name nor a namespace contains a slash, so the text is unambiguous. */
export function placeText({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}

/** Built-in objects as the parts of a plane define them: every plane passes the same array instances. */
export type StandingLists = readonly (readonly KubeObject[])[];

/** The results per list, computed once for the whole process. */
const kindsOfLists = new WeakMap<readonly KubeObject[], ReadonlyMap<string, StandingKind>>();
const digestsOfLists = new WeakMap<readonly KubeObject[], string>();

/** Returns the built-in objects by resource key. Throws if an object's kind is not among the resources. */
export function standingKinds(
  resources: readonly StoredResource[],
  lists: StandingLists,
): ReadonlyMap<string, StandingKind> {
  const kinds = new Map<string, StandingKind>();
  for (const list of lists) {
    const kindsOfList = kindsOfLists.get(list) ?? groupByKind(resources, list);
    kindsOfLists.set(list, kindsOfList);
    for (const [key, kind] of kindsOfList) {
      const existing = kinds.get(key);
      kinds.set(key, existing === undefined ? kind : new StandingKind([...existing.objects, ...kind.objects]));
    }
  }
  return kinds;
}

function groupByKind(
  resources: readonly StoredResource[],
  list: readonly KubeObject[],
): ReadonlyMap<string, StandingKind> {
  const byKind = new Map<string, StandingObject[]>();
  for (const object of list) {
    const { group } = parseApiVersion(object.apiVersion);
    const resource = resources.find((one) => one.group === group && one.kind === object.kind);
    if (resource === undefined) throw new Error(`built-in object has unknown kind "${object.kind}"`);
    const key = resourceKey(resource);
    byKind.set(key, [...(byKind.get(key) ?? []), new StandingObject(resource, object)]);
  }
  return new Map([...byKind].map(([key, objects]) => [key, new StandingKind(objects)]));
}

/** Distinguishes the built-in objects of different releases. */
export function standingDigest(lists: StandingLists): string {
  const hash = createHash('sha256');
  for (const list of lists) {
    const digest = digestsOfLists.get(list) ?? createHash('sha256').update(JSON.stringify(list)).digest('hex');
    digestsOfLists.set(list, digest);
    hash.update(digest);
  }
  return hash.digest('hex').slice(0, 16);
}
