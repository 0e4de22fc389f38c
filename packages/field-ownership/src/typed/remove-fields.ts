import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { FieldSet } from '../field-set/field-set.ts';
import { fieldElement } from '../field-set/path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { itemElement, memberShape, shapePartFor } from './typed.ts';

/**
 * Returns the value without the members and items in `fields`. A map or list that becomes empty becomes null, which the
 * decoding after an apply removes.
 */
export function removeFields(shape: Shape, value: JsonValue, fields: FieldSet): JsonValue {
  const part = shapePartFor(shape, value);
  if (part === 'map' && shape.map !== undefined) {
    return shape.map.atomic || !isJsonObject(value) ? null : removeMembers(shape.map, value, fields);
  }
  if (part === 'list' && shape.list !== undefined) {
    return shape.list.atomic || !Array.isArray(value) ? null : removeItems(shape.list, value, fields);
  }
  return value;
}

function removeMembers(map: MapShape, value: JsonObject, fields: FieldSet): JsonValue {
  const kept: JsonObject = {};
  let empty = true;
  for (const name of Object.keys(value)) {
    const element = fieldElement(name);
    if (fields.hasMember(element)) continue;
    const member = value[name] as JsonValue;
    const below = fields.below(element);
    setMember(kept, name, below === undefined ? member : removeFields(memberShape(map, name), member, below));
    empty = false;
  }
  return empty ? null : kept;
}

function removeItems(list: ListShape, items: readonly JsonValue[], fields: FieldSet): JsonValue {
  const kept: JsonValue[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    if (fields.hasMember(element)) continue;
    const below = fields.below(element);
    kept.push(below === undefined ? item : removeFields(list.item, item, below));
  }
  return kept.length === 0 ? null : kept;
}
