import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { Timestamp } from '../meta.ts';
import type { Schema } from './schema.ts';

export type { Static, TSchema } from 'typebox';

/**
 * Builds a kind's schema and its TypeScript type in one stroke. The values are exactly the structural OpenAPI v3 that
 * Kubernetes publishes: maps are `additionalProperties`, enums are `enum`, list and map semantics are the `x-kubernetes-*`
 * members. The types are TypeBox's. Its own values, which copy a schema with each step, took a twentieth of a start.
 */
interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: JsonValue;
}

interface TextRules extends Described, Pick<Schema, 'minLength' | 'maxLength' | 'pattern' | 'format'> {}

interface NumberRules
  extends Described,
    Pick<Schema, 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf' | 'format'> {}

interface ObjectRules
  extends Described,
    Pick<Schema, 'minProperties' | 'maxProperties' | 'allOf' | 'anyOf' | 'oneOf' | 'not'> {
  /** Server-side apply owns the object as a whole. */
  readonly atomic?: boolean;
  /** Members that the schema does not name are kept. */
  readonly preserveUnknown?: boolean;
}

interface ListRules extends Described, Pick<Schema, 'minItems' | 'maxItems' | 'uniqueItems'> {
  /** How apply merges the list. Absent: `map` where `mapKeys` are given, else unset (which is atomic). */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The members that tell the items of a `map` list apart. */
  readonly mapKeys?: readonly string[];
  /** A strategic merge patch merges the list instead of replacing it: items that are equal, or alike in `patchMergeKey`. */
  readonly patchStrategy?: 'merge';
  readonly patchMergeKey?: string;
}

interface MapRules extends Described, Pick<Schema, 'minProperties' | 'maxProperties'> {
  readonly atomic?: boolean;
}

function unsafe<T>(schema: Schema): TUnsafe<T> {
  return schema as TUnsafe<T>;
}

/** Stands on what an object need not have. It is not part of the schema: a symbol is not in its JSON. */
const isOptional = Symbol('optional');

/** Members are required unless wrapped in `t.optional`; Kubernetes requires few. */
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

/** A number without fraction; `int64` unless said otherwise, as Go has it. */
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

/** Any names, values of one shape: labels, quotas. */
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

/** An object whose members are kept as they are, whatever they are. */
function preserved(rules: Described = {}): TUnsafe<JsonObject> {
  return unsafe({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...rules });
}

/** Any JSON value, kept as it is. */
function anything(rules: Described = {}): TUnsafe<JsonValue> {
  return unsafe({ 'x-kubernetes-preserve-unknown-fields': true, ...rules });
}

/** RFC 3339. Go's zero time prints as null; like every null that is not wanted it is dropped, so it reads as absent. */
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
  preserved,
  anything,
  timestamp,
  intOrString,
} as const;

export function asSchema(schema: TSchema): Schema {
  return schema as Schema;
}
