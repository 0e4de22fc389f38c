import type { JsonObject, JsonValue } from '@flotilla/json';
import type { KubeObject, TypedObject } from './meta.ts';
import type { Schema } from './schema/schema.ts';

/** A column of the Table that `kubectl get` prints. `value` undefined or null prints as `<none>`. */
export interface Column<Fields extends JsonObject = JsonObject> {
  readonly name: string;
  /** The value of a `date` column is a timestamp. The server prints it as an age. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown. Above 0: shown only with `-o wide`. */
  readonly priority?: number;
  /** Prints a date as it is, not as an age. */
  readonly verbatim?: boolean;
  /** `now`: milliseconds since the epoch, for columns that depend on the current time. */
  value(object: TypedObject<Fields>, now?: number): JsonValue | undefined;
}

/** The definition of a kind as data. Discovery, OpenAPI, validation, defaults, pruning and Tables derive from it. */
export interface ResourceKind<Fields extends JsonObject = JsonObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Optional; defaults to the kind followed by `List`. */
  readonly listKind?: string;
  /** Lower case, as in paths. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly description?: string;
  /**
   * Everything at the root except apiVersion, kind and metadata, which all kinds have. Type `object`; `spec` and
   * `status` are ordinary properties.
   */
  readonly schema: Schema;
  /** Columns in addition to NAME, which always comes first. Optional; defaults to AGE. */
  readonly columns?: readonly Column<Fields>[];
  /** Paths that field selectors support besides metadata.name and metadata.namespace: `spec.owner.user`. */
  readonly selectableFields?: readonly string[];
  /**
   * True for kinds that typed Go clients know (namespaces, events, reviews): their JSON members are in struct order,
   * and they accept protobuf bodies. False for management kinds and custom resources.
   */
  readonly builtIn?: boolean;
  /** Normalizes, in place, what no schema can describe. Returns the paths of dropped members. Throws DecodeError. */
  readonly normalize?: (object: JsonObject) => string[];
  /** Warning for clients that use this version. */
  readonly deprecation?: string;
  /** True if bodies may contain secrets, even in unexpected members. Error messages then quote no part of a body. */
  readonly confidential?: boolean;
}

/** The fields of a kind besides apiVersion, kind and metadata. */
export type FieldsOf<Kind extends ResourceKind> = Kind extends ResourceKind<infer Fields> ? Fields : never;

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
