import { createHash } from 'node:crypto';
import { type KubeObject, parseApiVersion } from '../api/meta.ts';
import type { Place } from './object-index.ts';
import type { StoredResource } from './resource.ts';
import { resourceKey } from './rows.ts';
import { type PlaneBirth, StandingObject } from './standing-object.ts';

/** The standing objects of one kind, shared by all planes. */
export class StandingKind {
  readonly objects: readonly StandingObject[];
  readonly #byPlace: ReadonlyMap<string, StandingObject>;

  constructor(objects: readonly StandingObject[]) {
    this.objects = objects;
    this.#byPlace = new Map(objects.map((object) => [placeText(object), object]));
  }

  at(place: Place): StandingObject | undefined {
    return this.#byPlace.get(placeText(place));
  }
}

/** The standing objects of one kind in one plane. */
export interface StandingHere {
  readonly kind: StandingKind;
  readonly birth: PlaneBirth;
}

/** Neither a name nor a namespace has a slash. */
export function placeText({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}

/** Standing objects as the parts of a plane give them: lists that are the same in every plane, also as values. */
export type StandingLists = readonly (readonly KubeObject[])[];

/** What was made of a list, once for the whole process. */
const known = new WeakMap<readonly KubeObject[], ReadonlyMap<string, StandingKind>>();
const digests = new WeakMap<readonly KubeObject[], string>();

/** By resource key. Objects of a kind that is not among the resources are a fault of the program. */
export function standingKinds(
  resources: readonly StoredResource[],
  lists: StandingLists,
): ReadonlyMap<string, StandingKind> {
  const kinds = new Map<string, StandingKind>();
  for (const list of lists) {
    const ofList = known.get(list) ?? sortOut(resources, list);
    known.set(list, ofList);
    for (const [key, kind] of ofList) {
      const beside = kinds.get(key);
      kinds.set(key, beside === undefined ? kind : new StandingKind([...beside.objects, ...kind.objects]));
    }
  }
  return kinds;
}

function sortOut(resources: readonly StoredResource[], list: readonly KubeObject[]): ReadonlyMap<string, StandingKind> {
  const byKind = new Map<string, StandingObject[]>();
  for (const object of list) {
    const { group } = parseApiVersion(object.apiVersion);
    const resource = resources.find((one) => one.group === group && one.kind === object.kind);
    if (resource === undefined) throw new Error(`a standing object is of an unknown kind: ${object.kind}`);
    const key = resourceKey(resource);
    byKind.set(key, [...(byKind.get(key) ?? []), new StandingObject(resource, object)]);
  }
  return new Map([...byKind].map(([key, objects]) => [key, new StandingKind(objects)]));
}

/** Tells one release's standing objects from another's. */
export function standingDigest(lists: StandingLists): string {
  const hash = createHash('sha256');
  for (const list of lists) {
    const digest = digests.get(list) ?? createHash('sha256').update(JSON.stringify(list)).digest('hex');
    digests.set(list, digest);
    hash.update(digest);
  }
  return hash.digest('hex').slice(0, 16);
}
