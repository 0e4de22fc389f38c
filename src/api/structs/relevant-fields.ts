import type { JsonObject } from '@flotilla/json';
import type { GoField, GoStruct } from './go-struct.ts';

/** The positions of the fields of a large struct in `fields`, by name. */
interface FieldPositions {
  readonly byName: ReadonlyMap<string, number>;
  /**
   * The positions of fields that are relevant even if the object does not have them: embedded structs and fields that
   * JSON always contains.
   */
  readonly always: readonly number[];
}

/**
 * The maximum number of fields of a small struct. For a small struct, returning all fields is faster than using the
 * index.
 */
const smallStruct = 16;

const positionsOf = new WeakMap<GoStruct, FieldPositions>();

/**
 * Returns the fields of a struct that an object has, in the order of the struct, and the fields that JSON contains even
 * if they are empty. Visiting only these fields makes CustomResourceDefinitions fast, because their schemas consist of
 * thousands of objects with few of the many fields of their struct. For a small struct, returns all fields.
 */
export function relevantFields(struct: GoStruct, object: JsonObject): readonly GoField[] {
  const { fields } = struct;
  if (fields.length <= smallStruct) return fields;
  const { byName, always } = positionsIn(struct);
  const positions = [...always];
  for (const name in object) {
    const position = byName.get(name);
    if (position !== undefined) positions.push(position);
  }
  positions.sort((a, b) => a - b);
  return positions.map((position) => fields[position] as GoField);
}

function positionsIn(struct: GoStruct): FieldPositions {
  let found = positionsOf.get(struct);
  if (found === undefined) {
    const byName = new Map<string, number>();
    const always: number[] = [];
    for (const [position, { name, shown }] of struct.fields.entries()) {
      if (name === '' || shown) always.push(position);
      else byName.set(name, position);
    }
    found = { byName, always };
    positionsOf.set(struct, found);
  }
  return found;
}
