import type { JsonValue } from '@flotilla/json';
import type { TrackedKind } from '../tracked-kind.ts';
import { metadataSchema } from './metadata-schema.ts';
import type { TrackedSchema } from './tracked-schema.ts';

/**
 * The structure of a value, derived from its schema for server-side apply: the allowed types, and how lists and maps
 * are merged. If the schema has no `type`, the value itself determines which of scalar, list or map applies.
 */
export interface Shape {
  /** True if every value is allowed, also in all nested values. */
  readonly acceptsAny?: true;
  readonly scalar?: ScalarType;
  readonly list?: ListShape;
  readonly map?: MapShape;
  /**
   * True if this shape contains a list whose items are identified by keys or value. Not every value fits such a list.
   */
  readonly hasKeyedItems?: true;
}

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListShape {
  /**
   * True if the list is owned and replaced as a whole. If false, each item is identified by the values of `keys`, or by
   * its own value if there are no keys.
   */
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly item: Shape;
  /** The default values of keys that an item may omit. */
  readonly keyDefaults: ReadonlyMap<string, JsonValue>;
}

export interface MapShape {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Shape>;
  /** The shape of members that are not in `fields`; absent if no other members are allowed. */
  readonly rest?: Shape;
}

const noKeys: Pick<ListShape, 'keys' | 'keyDefaults'> = { keys: [], keyDefaults: new Map() };

/** The shape of any value that is owned as a whole, such as the contents of a list without a schema. */
const wholeShape: Shape = {
  acceptsAny: true,
  scalar: 'untyped',
  list: {
    ...noKeys,
    atomic: true,
    get item() {
      return wholeShape;
    },
  },
  map: { atomic: true, fields: new Map() },
};

/**
 * The maximum depth to which the structure of a value is deduced. Deeper values are owned as a whole. The limit is far
 * beyond the depth of any real object and prevents deep recursion for a malicious object.
 */
const deducedLevels = 100;

/** The shape of a value without a schema (rule SSA-24): maps are owned by member, lists as a whole. */
export const deducedShape: Shape = deduced(deducedLevels);

function deduced(levels: number): Shape {
  return {
    acceptsAny: true,
    scalar: 'untyped',
    list: { ...noKeys, atomic: true, item: wholeShape },
    map: { atomic: false, fields: new Map(), rest: levels === 0 ? wholeShape : deduced(levels - 1) },
  };
}

const shapes = new WeakMap<TrackedSchema, Shape>();

/** Returns the shape of the objects of a kind. Computed once per schema. */
export function shapeOf(kind: Pick<TrackedKind, 'schema'>): Shape {
  let shape = shapes.get(kind.schema);
  if (shape === undefined) {
    shape = fromSchema(withObjectMembers(kind.schema), false);
    shapes.set(kind.schema, shape);
  }
  return shape;
}

/** Adds the members that every object has (apiVersion, kind, metadata) to the schema, including embedded objects. */
function withObjectMembers(schema: TrackedSchema): TrackedSchema {
  const free = schema.properties === undefined && schema.additionalProperties === undefined;
  return {
    ...schema,
    type: 'object',
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: metadataSchema,
    },
    ...(free ? { additionalProperties: true } : {}),
  };
}

function fromSchema(source: TrackedSchema, inherited: boolean): Shape {
  const shape = plainShape(source, inherited);
  const { list, map } = shape;
  const members = map === undefined ? [] : [...map.fields.values(), ...(map.rest === undefined ? [] : [map.rest])];
  const tellsApart =
    list?.atomic === false ||
    list?.item.hasKeyedItems === true ||
    members.some((member) => member.hasKeyedItems === true);
  return tellsApart ? { ...shape, hasKeyedItems: tellsApart } : shape;
}

function plainShape(source: TrackedSchema, inherited: boolean): Shape {
  const schema = source['x-kubernetes-embedded-resource'] === true ? withObjectMembers(source) : source;
  const preserve = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return { map: mapShape(schema, preserve) };
    case 'array':
      return { list: listShape(schema, preserve) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      // A string with another format, such as int-or-string, may have a value of another type. Only strings without a
      // format and base64 strings are always strings.
      return { scalar: schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped' };
    default:
      return { scalar: 'untyped', list: listShape(schema, preserve), map: mapShape(schema, preserve) };
  }
}

function mapShape(schema: TrackedSchema, preserve: boolean): MapShape {
  const fields = new Map<string, Shape>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) fields.set(name, fromSchema(member, preserve));
  const rest = restShape(schema, preserve, fields.size === 0);
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields,
    ...(rest === undefined ? {} : { rest }),
  };
}

function restShape(schema: TrackedSchema, preserve: boolean, fieldless: boolean): Shape | undefined {
  const rest = schema.additionalProperties;
  if (typeof rest === 'object') return fromSchema(rest, preserve);
  if (rest === undefined) return preserve || fieldless ? deducedShape : undefined;
  return rest ? deducedShape : undefined;
}

function listShape(schema: TrackedSchema, preserve: boolean): ListShape {
  const type = schema['x-kubernetes-list-type'] ?? 'atomic';
  const keys = type === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  const keyDefaults = new Map<string, JsonValue>();
  for (const key of keys) {
    const value = schema.items?.properties?.[key]?.default;
    if (value !== undefined) keyDefaults.set(key, value);
  }
  return {
    atomic: type === 'atomic',
    keys,
    keyDefaults,
    item: schema.items === undefined ? wholeShape : fromSchema(schema.items, preserve),
  };
}
