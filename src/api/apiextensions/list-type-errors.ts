import type { JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../field-error.ts';
import { childPath, keyPath } from '../schema/field-path.ts';
import { itemsSchemaOf, type SchemaProps } from './definition.ts';

const listTypes = ['atomic', 'set', 'map'];

/**
 * Validates `x-kubernetes-list-type`, `x-kubernetes-list-map-keys`, and what they require of the schema of the items.
 */
export function listTypeErrors(schema: SchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = (name: string) => childPath(path, name);
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const items = itemsSchemaOf(schema);
  if (listType !== undefined && schema.type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    const { type } = schema;
    errors.push(type === undefined ? required(at('type'), detail) : invalid(at('type'), type, detail));
  } else if (listType === 'set' && items !== undefined) {
    errors.push(...setItemErrors(items, at('items')));
  }
  if (listType !== undefined && !listTypes.includes(listType)) {
    errors.push(notSupported(at('x-kubernetes-list-type'), listType, listTypes));
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = at('x-kubernetes-list-type');
    errors.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail));
  }
  if (listType === 'map') errors.push(...mapErrors(schema, path));
  return errors;
}

/**
 * Reports items of a set that are not atomic. They must be atomic, because server-side apply compares the items of a
 * set as a whole.
 */
function setItemErrors(items: SchemaProps, path: string): FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(childPath(path, 'x-kubernetes-list-type'), listType, detail)];
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    // As in Kubernetes, the error contains the list type of the items and not their map type. Objects usually have no
    // list type, so the error usually contains null.
    return [invalid(childPath(path, 'x-kubernetes-map-type'), listType ?? null, detail)];
  }
  return [];
}

function mapErrors(schema: SchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = (name: string) => childPath(path, name);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const items = itemsSchemaOf(schema);
  if (keys.length === 0) {
    errors.push(required(at('x-kubernetes-list-map-keys'), 'must not be empty if x-kubernetes-list-type is map'));
  }
  if (schema.items === undefined) {
    errors.push(required(at('items'), 'must have a schema if x-kubernetes-list-type is map'));
  }
  if (items === undefined) return errors;
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(childPath(at('items'), 'type'), items.type ?? '', detail));
    return errors;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const member = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    const field = at('x-kubernetes-list-map-keys');
    if (member === undefined) {
      errors.push(invalid(field, [...keys], 'entries must all be names of item properties'));
    } else if (member.type === 'array' || member.type === 'object') {
      const place = childPath(keyPath(childPath(at('items'), 'properties'), key), 'type');
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(place, items.type, detail));
    }
    if (seen.has(key)) errors.push(invalid(field, [...keys] as JsonValue, 'must not contain duplicate entries'));
    seen.add(key);
  }
  return errors;
}

/**
 * Reports items that may be null, and map keys that may be missing or null. Without its keys, an item could not be
 * distinguished from the other items of the list.
 */
export function mapKeyErrors(schema: SchemaProps, path: string): FieldError[] {
  const items = itemsSchemaOf(schema);
  const listType = schema['x-kubernetes-list-type'];
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const errors: FieldError[] = [];
  const at = childPath(path, 'items');
  if (items.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbiddenField(childPath(at, 'nullable'), detail));
  }
  if (listType !== 'map') return errors;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const member = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    if (member === undefined) continue;
    const place = (name: string) => childPath(keyPath(childPath(at, 'properties'), key), name);
    if (!(items.required ?? []).includes(key) && member.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(place('default'), detail));
    }
    if (member.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbiddenField(place('nullable'), detail));
    }
  }
  return errors;
}
