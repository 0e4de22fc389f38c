import type { Json } from './bad-request.ts';

export interface FieldSchema {
  readonly $ref?: string;
  readonly allOf?: readonly FieldSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema | boolean;
}

/** A kind as its OpenAPI document tells of it, with an object of it that exists, if there is one. */
export interface ServedKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** Of the collection, below the root of the API; namespaced ones in a namespace that exists. */
  readonly collection: string;
  readonly collectionMethods: readonly string[];
  readonly objectMethods: readonly string[];
  /** Of the object that exists; `absent` where there is none. */
  readonly name: string;
  /** The object that exists, as a PUT would take it. */
  readonly sample: { [name: string]: Json };
  readonly subresources: readonly { readonly name: string; readonly methods: readonly string[] }[];
  readonly schema: FieldSchema;
}

export interface World {
  /** The path of the API's root. */
  readonly root: string;
  readonly kinds: readonly ServedKind[];
  /** Schemas that others refer to. */
  readonly definitions: ReadonlyMap<string, FieldSchema>;
}

export function objectPath(world: World, kind: ServedKind, name = kind.name): string {
  return `${world.root}${kind.collection}/${name}`;
}

export function collectionPath(world: World, kind: ServedKind): string {
  return `${world.root}${kind.collection}`;
}

/** A body from which a POST would make a new object. */
export function newObject({ sample }: ServedKind): { [name: string]: Json } {
  const { status: _, metadata, ...rest } = sample;
  const { labels = {} } = metadata as { readonly labels?: Json };
  return { ...rest, metadata: { name: 'never-made', labels } };
}

/** Where bodies of this kind are sent to, with the method and what kind of patch it is. */
export interface BodyTarget {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  /** What would be accepted there; for a merge patch, nothing. */
  readonly sample: { [name: string]: Json };
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Every place that takes a whole object of this kind, or most of one. */
export function bodyTargets(world: World, kind: ServedKind): BodyTarget[] {
  const targets: BodyTarget[] = [];
  const { apiVersion, kind: name } = kind;
  const addObject = (path: string, methods: readonly string[]) => {
    if (methods.includes('put')) targets.push({ method: 'PUT', path, type: 'application/json', sample: kind.sample });
    if (!methods.includes('patch')) return;
    targets.push({ method: 'PATCH', path, type: patchTypes.merge, sample: {} });
    const applied = { apiVersion, kind: name };
    targets.push({ method: 'PATCH', path: `${path}?fieldManager=corpus`, type: patchTypes.apply, sample: applied });
  };
  if (kind.collectionMethods.includes('post')) {
    const path = collectionPath(world, kind);
    targets.push({ method: 'POST', path, type: 'application/json', sample: newObject(kind) });
  }
  addObject(objectPath(world, kind), kind.objectMethods);
  const status = kind.subresources.find((subresource) => subresource.name === 'status');
  if (status !== undefined) addObject(`${objectPath(world, kind)}/status`, status.methods);
  return targets;
}
