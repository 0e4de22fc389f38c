import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { SchemaMismatchError, TooManyFieldsError } from './apply-errors.ts';
import type { TrackedKind } from './tracked-kind.ts';
import type { TrackedObject } from './tracked-object.ts';
import { hasTooManyFields, maxTrackedFields } from './typed/field-count.ts';
import { mergeTyped } from './typed/merge.ts';
import { type Shape, shapeOf } from './typed/shape.ts';
import { memberShape, UnkeyedItemError } from './typed/typed.ts';
import { describeProblems, typedProblems } from './typed/typed-problems.ts';

/**
 * Merges the fields of an apply configuration into an object, as server-side apply does, but without field ownership:
 * no field is removed and managedFields do not change. The result shares nothing with its inputs.
 *
 * Throws SchemaMismatchError if the object or the configuration does not fit the schema, or if the configuration sets a
 * list, map or struct that can only be replaced as a whole. Throws TooManyFieldsError for a very large object.
 */
export function mergeConfiguration<Tracked extends TrackedObject>(
  kind: TrackedKind,
  object: Tracked,
  configuration: JsonObject,
): Tracked {
  if (hasTooManyFields(kind, object) || hasTooManyFields(kind, configuration as TrackedObject)) {
    throw new TooManyFieldsError(`the object has more than ${maxTrackedFields} fields, which cannot be merged`);
  }
  const shape = shapeOf(kind);
  const problems = typedProblems(shape, configuration, kind);
  if (problems.length > 0) {
    throw new SchemaMismatchError(`failed to convert patch object to typed object: ${describeProblems(problems)}`);
  }
  const atomics: string[] = [];
  findAtomics(shape, configuration, '', atomics);
  if (atomics.length > 0) {
    throw new SchemaMismatchError(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  }
  try {
    return mergeTyped(shape, object as JsonObject, configuration) as Tracked;
  } catch (error) {
    if (!(error instanceof UnkeyedItemError)) throw error;
    throw new SchemaMismatchError(`failed to convert original object to typed object: ${error.message}`);
  }
}

/** The maximum number of paths in an error message. */
const MAX_ATOMICS = 10;

function findAtomics(shape: Shape, value: JsonValue, path: string, found: string[]): void {
  if (found.length >= MAX_ATOMICS) return;
  if (isJsonObject(value) && shape.map !== undefined) {
    if (shape.map.atomic) found.push(path);
    for (const [name, member] of Object.entries(value)) {
      if (shape.map.fields.has(name)) findAtomics(memberShape(shape.map, name), member, `${path}.${name}`, found);
    }
  } else if (Array.isArray(value) && shape.list !== undefined) {
    if (shape.list.atomic) found.push(path);
    for (const [index, item] of value.entries()) findAtomics(shape.list.item, item, `${path}[${index}]`, found);
  }
}
