import { isJsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, tooLong, tooMany } from '../field-error.ts';
import { childPath, indexPath } from './field-path.ts';
import type { Schema } from './schema.ts';
import { isLongerThan } from './validate-scalar.ts';

/**
 * The size limits in a schema: maxLength, maxItems and maxProperties. Branches of the schema without limits are
 * omitted.
 */
interface SizeBounds {
  readonly maxLength: number;
  readonly maxItems: number;
  readonly maxProperties: number;
  readonly members: ReadonlyMap<string, SizeBounds>;
  /** The bounds of members that are not in `members`, such as the entries of a map. */
  readonly others: SizeBounds | undefined;
  readonly items: SizeBounds | undefined;
}

/**
 * Returns the errors of values that are too long or have too many items or members. Takes little time, because it
 * visits only values with a size limit, and does not visit anything inside a value that is too large. A value that is
 * not larger than the stored value is accepted, because the limit may be newer than the stored object.
 */
export function sizeBoundErrors(schema: Schema, value: JsonValue, old: JsonValue | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const bounds = boundsOf(schema);
  if (bounds !== undefined) check(bounds, { value, old, path: '' }, errors);
  return errors;
}

interface BoundedValue {
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly path: string;
}

function check(bounds: SizeBounds, { value, old, path }: BoundedValue, errors: FieldError[]): void {
  if (typeof value === 'string') {
    const isOld = typeof old === 'string' && old.length >= value.length;
    if (!isOld && isLongerThan(value, bounds.maxLength)) errors.push(tooLong(path, bounds.maxLength));
  } else if (Array.isArray(value)) {
    const before = Array.isArray(old) ? old : [];
    if (value.length > Math.max(bounds.maxItems, before.length)) {
      errors.push(tooMany(path, value.length, bounds.maxItems));
      return;
    }
    const { items } = bounds;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      check(items, { value: item, old: before[index], path: indexPath(path, index) }, errors);
    }
  } else if (isJsonObject(value)) checkMembers(bounds, { value, old, path }, errors);
}

function checkMembers(bounds: SizeBounds, { value, old, path }: BoundedValue, errors: FieldError[]): void {
  const { members, others, maxProperties } = bounds;
  const object = value as { readonly [name: string]: JsonValue };
  const before = isJsonObject(old) ? old : {};
  if (maxProperties < Number.POSITIVE_INFINITY) {
    const count = Object.keys(object).length;
    if (count > Math.max(maxProperties, Object.keys(before).length)) {
      errors.push(tooMany(path, count, maxProperties));
      return;
    }
  }
  const names = others === undefined ? members.keys() : Object.keys(object);
  for (const name of names) {
    const member = Object.hasOwn(object, name) ? object[name] : undefined;
    const bound = members.get(name) ?? others;
    if (member === undefined || bound === undefined) continue;
    const previous = Object.hasOwn(before, name) ? before[name] : undefined;
    check(bound, { value: member, old: previous, path: childPath(path, name) }, errors);
  }
}

/** The bounds of schemas, in a WeakMap so that they are released together with the schemas. */
const known = new WeakMap<Schema, { readonly bounds: SizeBounds | undefined }>();

function boundsOf(schema: Schema): SizeBounds | undefined {
  const found = known.get(schema);
  if (found !== undefined) return found.bounds;
  const bounds = readBounds(schema);
  known.set(schema, { bounds });
  return bounds;
}

function readBounds(schema: Schema): SizeBounds | undefined {
  const { properties = {}, additionalProperties, items } = schema;
  const unlimited = Number.POSITIVE_INFINITY;
  const members = new Map<string, SizeBounds>();
  for (const [name, member] of Object.entries(properties)) {
    const bounds = boundsOf(member);
    if (bounds !== undefined) members.set(name, bounds);
  }
  const others = typeof additionalProperties === 'object' ? boundsOf(additionalProperties) : undefined;
  const itemBounds = items === undefined ? undefined : boundsOf(items);
  const { maxLength = unlimited, maxItems = unlimited, maxProperties = unlimited } = schema;
  const isLimited = Math.min(maxLength, maxItems, maxProperties) < unlimited;
  if (!isLimited && members.size === 0 && others === undefined && itemBounds === undefined) return undefined;
  return { maxLength, maxItems, maxProperties, members, others, items: itemBounds };
}
