import type { JsonObject, JsonValue } from '@flotilla/json';
import type { WorkMeter } from '@flotilla/work-meter';
import type { AnyFields, KubeObject, TypedObject } from './meta.ts';
import type { Schema } from './schema/schema.ts';

/** A column of the Table that `kubectl get` prints. The values undefined and null are printed as `<none>`. */
export interface Column<Fields extends JsonObject = AnyFields> {
  readonly name: string;
  /** The type of the values. A timestamp in a `date` column is printed as an age. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns with priority 0 are always shown. Columns with a higher priority are shown only with `-o wide`. */
  readonly priority?: number;
  /** If true, a timestamp in a `date` column is printed unchanged and not as an age. */
  readonly verbatim?: boolean;
  /**
   * The column type in the response, if it differs from the type of the cells. For example, a column of numbers with
   * the type `string` can also contain strings. Optional.
   */
  readonly announcedType?: Column['type'];
  /**
   * The path of the field that the column shows, or of the field with the most similar value. Absent if there is none.
   */
  readonly path?: string;
  /**
   * Returns the value of the cell. `now` is the current time in milliseconds since the epoch. `meter` limits the work
   * for the columns that a tenant has defined.
   */
  value(object: TypedObject<Fields>, now?: number, meter?: WorkMeter): JsonValue | undefined;
}

/**
 * The definition of a kind. Discovery, OpenAPI, validation, defaults, pruning and Tables are derived from it.
 */
export interface ResourceKind<Fields extends JsonObject = AnyFields> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /**
   * The version in which objects are stored. Present only if a built-in kind is served in a version other than the
   * stored one.
   */
  readonly storageVersion?: string;
  /** The kind of lists of this kind. Optional; defaults to the kind followed by `List`. */
  readonly listKind?: string;
  /** The plural name in lower case, as it appears in URL paths. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly description?: string;
  /** The schema of all fields except apiVersion, kind and metadata. Its type is `object`. */
  readonly schema: Schema;
  /** Columns after NAME, which is always the first column. Optional; defaults to AGE. */
  readonly columns?: readonly Column<Fields>[];
  /**
   * Paths that field selectors support in addition to metadata.name and metadata.namespace, such as `spec.owner.user`.
   */
  readonly selectableFields?: readonly string[];
  /**
   * True for kinds for which typed Go clients have structs, such as namespaces, events and reviews. Their JSON members
   * are in struct order, and they accept protobuf bodies. False for management kinds and custom resources.
   */
  readonly builtIn?: boolean;
  /**
   * Normalizes, in place, the parts of an object that the schema cannot describe. Returns the paths of dropped members.
   * Throws DecodeError.
   */
  readonly normalize?: (object: JsonObject) => string[];
  /**
   * Sets the defaults of a decoded object in place. Present for kinds whose defaults the schema cannot describe,
   * because Go structs have their own rules for defaults. The defaults in the schema are then not applied. Optional.
   */
  readonly setDefaults?: (object: JsonObject) => void;
  /** The deprecation warning that clients of this version get. */
  readonly deprecation?: string;
  /** True if any part of a body may be a secret. Error messages then do not quote the body. */
  readonly confidential?: boolean;
}

/** The TypeScript type of the fields of a kind, except apiVersion, kind and metadata. */
export type FieldsOf<Kind extends ResourceKind> = Kind extends ResourceKind<infer Fields> ? Fields : never;

/** The TypeScript type of the objects of a kind: `ObjectOf<typeof projectKind>`. */
export type ObjectOf<Kind extends ResourceKind> = Kind extends ResourceKind<infer Fields> ? TypedObject<Fields> : never;

/**
 * Casts an object to the type of its kind. All casts to management kinds go through this function. These casts are
 * safe, because a control plane validates objects against the schema before it stores them, and a client trusts its
 * server.
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
