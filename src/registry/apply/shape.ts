import type { JsonValue } from '@flotilla/json';
import type { ResourceKind } from '../../api/resource.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { metadataSchema } from './metadata-schema.ts';

/**
 * The structure of a value for server-side apply: which types are allowed, and how lists and maps merge. A schema
 * without `type` allows several types; the value then decides.
 */
export interface Shape {
  /** Every value fits, here and below. */
  readonly acceptsAny?: true;
  readonly scalar?: ScalarType;
  readonly list?: ListShape;
  readonly map?: MapShape;
  /** True if this shape contains a list with distinguishable items, which not every list value satisfies. */
  readonly hasKeyedItems?: true;
}

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListShape {
  /** Owned and replaced as a whole. Otherwise items are identified by their keys or, without keys, by their value. */
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly item: Shape;
  /** The defaults of key members that an item omits. */
  readonly keyDefaults: ReadonlyMap<string, JsonValue>;
}

export interface MapShape {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Shape>;
  /** The shape of members beyond `fields`; absent if none are allowed. */
  readonly rest?: Shape;
}

const noKeys: Pick<ListShape, 'keys' | 'keyDefaults'> = { keys: [], keyDefaults: new Map() };

/** Any value, owned as a whole: the contents of a list without a schema. */
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
 * The number of levels for which structure is deduced from a value; deeper parts are owned as a whole. Far beyond any
 * real object; it limits the recursion on a hostile one.
 */
const deducedLevels = 100;

/** Any value, with its structure deduced: maps by member, lists as a whole (rule SSA-24). */
export const deducedShape: Shape = deduced(deducedLevels);

function deduced(levels: number): Shape {
  return {
    acceptsAny: true,
    scalar: 'untyped',
    list: { ...noKeys, atomic: true, item: wholeShape },
    map: { atomic: false, fields: new Map(), rest: levels === 0 ? wholeShape : deduced(levels - 1) },
  };
}

const shapes = new WeakMap<Schema, Shape>();

/** The shape of whole objects of a kind, computed once per schema. */
export function shapeOf(kind: Pick<ResourceKind, 'schema'>): Shape {
  let shape = shapes.get(kind.schema);
  if (shape === undefined) {
    shape = fromSchema(withObjectMembers(kind.schema), false);
    shapes.set(kind.schema, shape);
  }
  return shape;
}

/** Adds the members that every object has, including embedded ones. */
function withObjectMembers(schema: Schema): Schema {
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

function fromSchema(source: Schema, inherited: boolean): Shape {
  const shape = plainShape(source, inherited);
  const { list, map } = shape;
  const members = map === undefined ? [] : [...map.fields.values(), ...(map.rest === undefined ? [] : [map.rest])];
  const tellsApart =
    list?.atomic === false ||
    list?.item.hasKeyedItems === true ||
    members.some((member) => member.hasKeyedItems === true);
  return tellsApart ? { ...shape, hasKeyedItems: tellsApart } : shape;
}

function plainShape(source: Schema, inherited: boolean): Shape {
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
      // A format may allow a JSON value that is not a string (int-or-string); only plain text and base64 are always
      // strings.
      return { scalar: schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped' };
    default:
      return { scalar: 'untyped', list: listShape(schema, preserve), map: mapShape(schema, preserve) };
  }
}

function mapShape(schema: Schema, preserve: boolean): MapShape {
  const fields = new Map<string, Shape>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) fields.set(name, fromSchema(member, preserve));
  const rest = restShape(schema, preserve, fields.size === 0);
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields,
    ...(rest === undefined ? {} : { rest }),
  };
}

function restShape(schema: Schema, preserve: boolean, fieldless: boolean): Shape | undefined {
  const rest = schema.additionalProperties;
  if (typeof rest === 'object') return fromSchema(rest, preserve);
  if (rest === undefined) return preserve || fieldless ? deducedShape : undefined;
  return rest ? deducedShape : undefined;
}

function listShape(schema: Schema, preserve: boolean): ListShape {
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
