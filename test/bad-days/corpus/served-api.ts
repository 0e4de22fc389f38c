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

/** A kind as its OpenAPI document describes it, with an existing object of this kind, if there is one. */
export interface ServedKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** The path of the collection below the root of the API; for namespaced kinds in an existing namespace. */
  readonly collection: string;
  readonly collectionMethods: readonly string[];
  readonly objectMethods: readonly string[];
  /** The name of the existing object; `absent` if there is none. */
  readonly name: string;
  /** The existing object in the form that a PUT accepts. */
  readonly sample: { [name: string]: Json };
  readonly subresources: readonly { readonly name: string; readonly methods: readonly string[] }[];
  readonly schema: FieldSchema;
}

export interface ServedApi {
  /** The path of the API's root. */
  readonly root: string;
  readonly kinds: readonly ServedKind[];
  /** The schemas that other schemas refer to. */
  readonly definitions: ReadonlyMap<string, FieldSchema>;
}

export function objectPath(servedApi: ServedApi, kind: ServedKind, name = kind.name): string {
  return `${servedApi.root}${kind.collection}/${name}`;
}

export function collectionPath(servedApi: ServedApi, kind: ServedKind): string {
  return `${servedApi.root}${kind.collection}`;
}

/** A body from which a POST would create a new object. */
export function newObject({ sample }: ServedKind): { [name: string]: Json } {
  const { status: _, metadata, ...rest } = sample;
  const { labels = {} } = metadata as { readonly labels?: Json };
  return { ...rest, metadata: { name: 'never-made', labels } };
}

/** An endpoint that takes bodies of this kind, with the method and the patch type. */
export interface BodyTarget {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  /** An acceptable body; empty for a merge patch. */
  readonly sample: { [name: string]: Json };
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Returns every endpoint that accepts a whole object of this kind, or most of an object. */
export function bodyTargets(servedApi: ServedApi, kind: ServedKind): BodyTarget[] {
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
    const path = collectionPath(servedApi, kind);
    targets.push({ method: 'POST', path, type: 'application/json', sample: newObject(kind) });
  }
  addObject(objectPath(servedApi, kind), kind.objectMethods);
  const status = kind.subresources.find((subresource) => subresource.name === 'status');
  if (status !== undefined) addObject(`${objectPath(servedApi, kind)}/status`, status.methods);
  return targets;
}
