import type { JsonObject, JsonValue } from '@flotilla/json';
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox';
import type { Timestamp } from '../meta.ts';
import type { Schema } from './schema.ts';

export type { Static, TSchema } from 'typebox';

/**
 * The schema builder creates the schema of a kind together with its TypeScript type. The results are exactly the
 * structural OpenAPI v3 schemas that Kubernetes publishes (`additionalProperties`, `enum`, `x-kubernetes-*`). TypeBox
 * provides only the TypeScript types. The functions of TypeBox are not used, because they copy a schema at each step,
 * which took 5% of the startup time.
 */
interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly default?: JsonValue;
}

interface TextRules extends Described, Pick<Schema, 'minLength' | 'maxLength' | 'pattern' | 'format'> {}

interface NumberRules
  extends Described,
    Pick<Schema, 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf' | 'format'> {}

interface ObjectRules
  extends Described,
    Pick<Schema, 'minProperties' | 'maxProperties' | 'allOf' | 'anyOf' | 'oneOf' | 'not'> {
  /** If true, server-side apply treats the object as a single field. */
  readonly atomic?: boolean;
  /** If true, unknown members are kept instead of pruned. */
  readonly preserveUnknown?: boolean;
}

interface ListRules extends Described, Pick<Schema, 'minItems' | 'maxItems' | 'uniqueItems'> {
  /**
   * The list type, which determines how server-side apply merges the list. Optional; defaults to `map` if `mapKeys` is
   * set, otherwise to `atomic`.
   */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The members that together identify an item of a list of type `map`. */
  readonly mapKeys?: readonly string[];
  /**
   * If set, a strategic merge patch merges the list instead of replacing it. Items are matched by `patchMergeKey` if it
   * is set, otherwise by value.
   */
  readonly patchStrategy?: 'merge';
  readonly patchMergeKey?: string;
}

interface MapRules extends Described, Pick<Schema, 'minProperties' | 'maxProperties'> {
  readonly atomic?: boolean;
}

function unsafe<T>(schema: Schema): TUnsafe<T> {
  return schema as TUnsafe<T>;
}

/** Marks a property as optional. It is a symbol so that the JSON of the schema does not contain it. */
const isOptional = Symbol('optional');

/**
 * The type of an object schema. TypeBox gives an object without properties the type `object`, which includes values
 * that are not JSON. Such an object therefore gets the type of an empty record.
 */
type ObjectSchema<T extends TProperties> = keyof T extends never ? TUnsafe<Record<string, never>> : TObject<T>;

/** An object. Its members are required unless they are wrapped in `t.optional`. */
function object<T extends TProperties>(properties: T, rules: ObjectRules = {}): ObjectSchema<T> {
  const { atomic, preserveUnknown, ...plain } = rules;
  const required = Object.keys(properties).filter((name) => !Object.hasOwn(properties[name] ?? {}, isOptional));
  const schema = {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties,
    ...plain,
    ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(preserveUnknown ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  };
  return schema as TSchema as ObjectSchema<T>;
}

function string(rules: TextRules = {}): TUnsafe<string> {
  return unsafe({ type: 'string', ...rules });
}

/** An integer. Its format defaults to `int64`, as in Go. */
function integer(rules: NumberRules = {}): TUnsafe<number> {
  return unsafe({ type: 'integer', format: 'int64', ...rules });
}

function number(rules: NumberRules = {}): TUnsafe<number> {
  return unsafe({ type: 'number', ...rules });
}

function boolean(rules: Described = {}): TUnsafe<boolean> {
  return unsafe({ type: 'boolean', ...rules });
}

function array<T extends TSchema>(items: T, rules: ListRules = {}): TUnsafe<Static<T>[]> {
  const { listType = rules.mapKeys === undefined ? undefined : 'map', mapKeys, ...others } = rules;
  const { patchMergeKey, patchStrategy = patchMergeKey === undefined ? undefined : 'merge', ...plain } = others;
  return unsafe({
    type: 'array',
    items: asSchema(items),
    ...plain,
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(mapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': mapKeys }),
    ...(patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': patchStrategy }),
    ...(patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patchMergeKey }),
  });
}

/** A map: an object with arbitrary keys whose values all have the same schema, such as labels. */
function map<T extends TSchema>(values: T, rules: MapRules = {}): TUnsafe<Record<string, Static<T>>> {
  const { atomic, ...plain } = rules;
  return unsafe({
    type: 'object',
    additionalProperties: asSchema(values),
    ...plain,
    ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  });
}

function enumOf<const T extends string>(values: readonly T[], rules: Described = {}): TUnsafe<T> {
  return unsafe({ type: 'string', enum: values, ...rules });
}

function optional<T extends TSchema>(schema: T): TOptional<T> {
  return Object.defineProperty({ ...schema }, isOptional, { value: true }) as TSchema as TOptional<T>;
}

/** Allows null as a value. In a schema without this, null is dropped and the member counts as absent. */
function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  return unsafe({ ...asSchema(schema), nullable: true });
}

/** An object with arbitrary members, which are stored unchanged. */
function preserved(rules: Described = {}): TUnsafe<JsonObject> {
  return unsafe({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...rules });
}

/** An arbitrary JSON value, which is stored unchanged. */
function anything(rules: Described = {}): TUnsafe<JsonValue> {
  return unsafe({ 'x-kubernetes-preserve-unknown-fields': true, ...rules });
}

/** A time in RFC 3339 format. Go prints the zero time as null. Null is dropped, so the member counts as absent. */
function timestamp(rules: Described = {}): TUnsafe<Timestamp> {
  return unsafe({ type: 'string', format: 'date-time', ...rules });
}

function intOrString(rules: Described = {}): TUnsafe<number | string> {
  return unsafe({ 'x-kubernetes-int-or-string': true, ...rules });
}

export const t = {
  object,
  string,
  integer,
  number,
  boolean,
  array,
  map,
  enumOf,
  optional,
  nullable,
  preserved,
  anything,
  timestamp,
  intOrString,
} as const;

export function asSchema(schema: TSchema): Schema {
  return schema as Schema;
}
