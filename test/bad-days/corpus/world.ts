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
  /** A body that would be accepted. */
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

/** Where bodies of this kind are sent to, with the method and what kind of patch it is. */
export interface BodyTarget {
  readonly method: string;
  readonly path: string;
  readonly type: string;
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Every place that takes a whole object of this kind, or most of one. */
export function bodyTargets(world: World, kind: ServedKind): BodyTarget[] {
  const targets: BodyTarget[] = [];
  const add = (method: string, path: string, type = 'application/json') => targets.push({ method, path, type });
  if (kind.collectionMethods.includes('post')) add('POST', collectionPath(world, kind));
  if (kind.objectMethods.includes('put')) add('PUT', objectPath(world, kind));
  if (kind.objectMethods.includes('patch')) {
    add('PATCH', objectPath(world, kind), patchTypes.merge);
    add('PATCH', `${objectPath(world, kind)}?fieldManager=corpus`, patchTypes.apply);
  }
  return targets;
}
