import { getMember, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { FieldSet } from '../field-set/field-set.ts';
import { fieldElement, type KeyValue, keyElement, type PathElement, valueElement } from '../field-set/path-element.ts';
import { deducedShape, type ListShape, type MapShape, type Shape } from './shape.ts';

/**
 * Thrown for a list item without a usable key or value. A stored object with such an item does not fit the schema of
 * its kind.
 */
export class UnkeyedItemError extends Error {}

export type ShapePart = 'map' | 'scalar' | 'list';

/**
 * Returns the part of a shape (map, scalar or list) that applies to a value: the part for the type of the value, if the
 * shape has that part. Otherwise, and for null and absent values, returns the first part of the shape.
 */
export function shapePartFor(shape: Shape, value: JsonValue | undefined): ShapePart {
  if (isJsonObject(value)) {
    if (shape.map !== undefined) return 'map';
  } else if (Array.isArray(value)) {
    if (shape.list !== undefined) return 'list';
  } else if (value !== null && value !== undefined && shape.scalar !== undefined) {
    return 'scalar';
  }
  if (shape.map !== undefined) return 'map';
  return shape.scalar !== undefined ? 'scalar' : 'list';
}

/**
 * Returns the shape of a member. A member that is not in the schema, for example a removed one, gets a deduced shape.
 */
export function memberShape(map: MapShape, name: string): Shape {
  return map.fields.get(name) ?? map.rest ?? deducedShape;
}

export function asMap(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function asList(value: JsonValue | undefined): JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Returns the path element that identifies an item of a list by keys or value. Throws UnkeyedItemError. */
export function itemElement(list: ListShape, item: JsonValue): PathElement {
  return list.keys.length === 0 ? setElement(item) : keyedElement(list, item);
}

function setElement(item: JsonValue): PathElement {
  if (item === null) throw new UnkeyedItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new UnkeyedItemError('not supported: associative list with lists as elements');
  if (isJsonObject(item)) throw new UnkeyedItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

function keyedElement(list: ListShape, item: JsonValue): PathElement {
  if (item === null) throw new UnkeyedItemError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new UnkeyedItemError('associative list with keys may not have non-map elements');
  const keys: KeyValue[] = [];
  for (const name of list.keys) {
    const given = getMember(item, name);
    const value = given === undefined ? list.keyDefaults.get(name) : given;
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0) {
    const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
    throw new UnkeyedItemError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}

/**
 * Returns the fields that a value sets: its scalars, the members of its maps, and the items of lists that are
 * identified by keys or value. An applier owns these fields (rule SSA-22).
 */
export function fieldsOf(shape: Shape, value: JsonValue): FieldSet {
  return fieldsWithin(shape, value) ?? new FieldSet();
}

/** Returns the fields that a value sets; `undefined` if it is owned as a whole. */
function fieldsWithin(shape: Shape, value: JsonValue): FieldSet | undefined {
  const part = shapePartFor(shape, value);
  if (part === 'map' && shape.map !== undefined && !shape.map.atomic) {
    return fieldsOfMembers(shape.map, asMap(value) ?? {});
  }
  if (part === 'list' && shape.list !== undefined && !shape.list.atomic) {
    return fieldsOfItems(shape.list, asList(value) ?? []);
  }
  return undefined;
}

function fieldsOfMembers(map: MapShape, value: JsonObject): FieldSet {
  const set = new FieldSet();
  for (const name in value) {
    const member = value[name] as JsonValue;
    const below = fieldsWithin(memberShape(map, name), member);
    const isOwned = below === undefined || member === null || !map.fields.has(name) || isEmptyObject(member);
    set.add(fieldElement(name), isOwned, below);
  }
  return set;
}

function isEmptyObject(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

function fieldsOfItems(list: ListShape, items: readonly JsonValue[]): FieldSet {
  const found = new Map<string, { element: PathElement; item: JsonValue; repeated: boolean }>();
  for (const item of items) {
    const element = itemElement(list, item);
    const earlier = found.get(element.text);
    if (earlier === undefined) found.set(element.text, { element, item, repeated: false });
    else earlier.repeated = true;
  }
  const set = new FieldSet();
  for (const { element, item, repeated } of found.values()) {
    // Own a duplicate item as a whole, because paths into it would be ambiguous.
    set.add(element, true, repeated ? undefined : fieldsWithin(list.item, item));
  }
  return set;
}

/**
 * Adds the parent fields of all paths in a set, except members of maps with free names. The owner of `spec.a.b` has
 * implicitly also set `spec` and `spec.a`.
 */
export function withNamedParents(set: FieldSet, shape: Shape | undefined): FieldSet {
  return set.map(({ element, member, below }) => {
    let child: Shape | undefined;
    let named = false;
    if (element.type === 'field' && shape?.map !== undefined) {
      named = shape.map.fields.has(element.name);
      child = memberShape(shape.map, element.name);
    } else if (element.type === 'key') {
      child = shape?.list?.item;
    }
    return {
      member: member || (named && below !== undefined),
      below: below === undefined ? undefined : withNamedParents(below, child),
    };
  });
}
