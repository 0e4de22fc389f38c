import type { JsonObject, JsonValue } from '../lib/json-value.ts';
import type { KubeObject, TypedObject } from './meta.ts';
import type { Schema } from './schema/schema.ts';

/** A column of the Table that `kubectl get` prints. `value` undefined or null prints as `<none>`. */
export interface Column<Fields extends JsonObject = JsonObject> {
  readonly name: string;
  /** A `date` column's value is a timestamp; the server prints it as an age. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; above: only with `-o wide`. */
  readonly priority?: number;
  /** A date is printed as it is, not as an age. */
  readonly verbatim?: boolean;
  /** `now`: milliseconds since the epoch, for columns that tell what is over and what is not. */
  value(object: TypedObject<Fields>, now?: number): JsonValue | undefined;
}

/** What a kind is, as data: discovery, OpenAPI, validation, defaults, pruning and Tables all come from this. */
export interface ResourceKind<Fields extends JsonObject = JsonObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Absent: the kind with `List`. */
  readonly listKind?: string;
  /** Lower case, as in paths. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly description?: string;
  /**
   * Everything below the root except apiVersion, kind and metadata, which every kind has. Type `object`; `spec`
   * and `status` stand here as properties like any other.
   */
  readonly schema: Schema;
  /** Besides NAME, which always comes first. Absent: AGE. */
  readonly columns?: readonly Column<Fields>[];
  /** Paths besides metadata.name and metadata.namespace that field selectors know: `spec.owner.user`. */
  readonly selectableFields?: readonly string[];
  /**
   * A kind that typed Go clients know (namespaces, events, reviews): its JSON members stand in struct order and
   * protobuf bodies are taken. Our own kinds, like custom resources, are not.
   */
  readonly builtIn?: boolean;
  /** Brings into form, in place, what no schema can describe; gives the paths of what was dropped. Throws DecodeError. */
  readonly shape?: (object: JsonObject) => string[];
  /** What whoever uses this version is warned of. */
  readonly deprecation?: string;
  /** Bodies may hold secrets, in the right place or a wrong one: no error quotes any of a body. */
  readonly confidential?: boolean;
}

/** The type of the objects of a kind: `ObjectOf<typeof projectKind>`. */
export type ObjectOf<Kind extends ResourceKind> = Kind extends ResourceKind<infer Fields> ? TypedObject<Fields> : never;

/**
 * Returns the object as one of its kind. This is the only place that casts objects of our own kinds: a plane has checked
 * what it stores against the schema, and a client trusts the server that it asked.
 */
export function typedObject<Fields extends JsonObject>(
  _kind: ResourceKind<Fields>,
  object: KubeObject,
): TypedObject<Fields> {
  return object as TypedObject<Fields>;
}

export function listKindOf({ kind, listKind }: Pick<ResourceKind, 'kind' | 'listKind'>): string {
  return listKind ?? `${kind}List`;
}

export function groupResourceOf(kind: ResourceKind): { group: string; resource: string } {
  return { group: kind.group, resource: kind.plural };
}
