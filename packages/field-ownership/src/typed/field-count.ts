import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import type { TrackedKind } from '../tracked-kind.ts';
import type { TrackedObject } from '../tracked-object.ts';
import { type Shape, shapeOf } from './shape.ts';
import { memberShape } from './typed.ts';

/**
 * The maximum number of fields of an object whose ownership is tracked. Each member of a map counts, and each list item
 * that is identified by keys or value. A list or map that is owned as a whole counts as one field. Tracking takes about
 * twenty microseconds per field. Real objects have some hundreds of fields.
 */
export const maxTrackedFields = 10_000;

/** True if the object has so many fields that their ownership is not tracked. */
export function hasTooManyFields(kind: TrackedKind, object: TrackedObject | undefined): boolean {
  return object !== undefined && remainingFields(shapeOf(kind), object as JsonObject, maxTrackedFields) < 0;
}

/** Subtracts the number of fields below a value from `remaining`. Stops as soon as the result is negative. */
function remainingFields(shape: Shape, value: JsonValue, remaining: number): number {
  let left = remaining;
  if (Array.isArray(value)) {
    const { list } = shape;
    if (list === undefined || list.atomic) return left;
    left -= value.length;
    if (!mayHaveFields(list.item)) return left;
    for (let at = 0; at < value.length && left >= 0; at++) {
      left = remainingFields(list.item, value[at] as JsonValue, left);
    }
  } else if (isJsonObject(value)) {
    const { map } = shape;
    if (map === undefined || map.atomic) return left;
    for (const name in value) {
      if (--left < 0) return left;
      const member = value[name] as JsonValue;
      if (typeof member === 'object' && member !== null) left = remainingFields(memberShape(map, name), member, left);
    }
  }
  return left;
}

function mayHaveFields({ map, list }: Shape): boolean {
  return (map !== undefined && !map.atomic) || (list !== undefined && !list.atomic);
}
