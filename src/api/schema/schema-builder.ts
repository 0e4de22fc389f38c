import type { JsonObject, JsonValue } from '@flotilla/json';
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox';
import type { Timestamp } from '../meta.ts';
import type { Schema } from './schema.ts';

export type { Static, TSchema } from 'typebox';

/**
 * Builds the schema of a kind and its TypeScript type together. The values are exactly the structural OpenAPI v3
 * schemas that Kubernetes publishes: maps are `additionalProperties`, enums are `enum`, list and map semantics are
 * `x-kubernetes-*` members. Only the types come from TypeBox. TypeBox values copy a schema at each step, which took 5%
 * of the startup time.
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
  /** Server-side apply treats the object as one field. */
  readonly atomic?: boolean;
  /** Unknown members are kept. */
  readonly preserveUnknown?: boolean;
}

interface ListRules extends Described, Pick<Schema, 'minItems' | 'maxItems' | 'uniqueItems'> {
  /** Merge strategy of apply. Optional; defaults to `map` if `mapKeys` are given, otherwise unset (which is atomic). */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The members that identify the items of a `map` list. */
  readonly mapKeys?: readonly string[];
  /** A strategic merge patch merges the list instead of replacing it: by equality, or by `patchMergeKey`. */
  readonly patchStrategy?: 'merge';
  readonly patchMergeKey?: string;
}

interface MapRules extends Described, Pick<Schema, 'minProperties' | 'maxProperties'> {
  readonly atomic?: boolean;
}

function unsafe<T>(schema: Schema): TUnsafe<T> {
  return schema as TUnsafe<T>;
}

/** Marks optional properties. As a symbol it is not part of the schema's JSON. */
const isOptional = Symbol('optional');

/** Members are required unless wrapped in `t.optional`. Kubernetes requires few. */
function object<T extends TProperties>(properties: T, rules: ObjectRules = {}): TObject<T> {
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
  return schema as TSchema as TObject<T>;
}

function string(rules: TextRules = {}): TUnsafe<string> {
  return unsafe({ type: 'string', ...rules });
}

/** A whole number. The format defaults to `int64`, as in Go. */
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

/** Arbitrary keys with values of one schema: labels, quotas. */
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

/** Keeps null, which is otherwise dropped as if the member were absent. */
function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  return unsafe({ ...asSchema(schema), nullable: true });
}

/** An object whose members are kept unchanged, whatever they are. */
function preserved(rules: Described = {}): TUnsafe<JsonObject> {
  return unsafe({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...rules });
}

/** Any JSON value, kept unchanged. */
function anything(rules: Described = {}): TUnsafe<JsonValue> {
  return unsafe({ 'x-kubernetes-preserve-unknown-fields': true, ...rules });
}

/**
 * RFC 3339. Go prints its zero time as null. Like every null that is not allowed, it is dropped and reads as absent.
 */
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
