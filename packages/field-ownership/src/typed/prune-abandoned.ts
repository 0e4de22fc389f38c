import type { JsonValue } from '@flotilla/json';
import type { FieldSet } from '../field-set/field-set.ts';
import { removeFields } from './remove-fields.ts';
import type { Shape } from './shape.ts';
import { fieldsOf, withNamedParents } from './typed.ts';

/**
 * Returns the merged object without abandoned fields (rule SSA-08). Those are fields that the applier applied last time
 * (`last`), but that neither its new configuration nor another manager owns. `owned` contains all owned fields,
 * including the new configuration.
 *
 * Removing a field also removes everything below it, which may have an owner. Therefore the function computes which
 * fields are missing if all of `last` is removed and the owned fields are restored. Of these it removes only the fields
 * in `last`. Fields that never had an owner, such as defaults, stay.
 */
export function pruneAbandoned(shape: Shape, merged: JsonValue, last: FieldSet, owned: FieldSet): JsonValue {
  const present = withNamedParents(fieldsOf(shape, merged), shape);
  const abandoned = withNamedParents(last, shape);

  const without = removeFields(shape, merged, abandoned);
  const restored = restoreOwned(shape, merged, without, owned);
  const remaining = withNamedParents(fieldsOf(shape, restored), shape);
  return removeFields(shape, merged, present.difference(remaining).intersection(abandoned));
}

/** Returns the object before a removal, without the removed fields that have no owner. */
export function restoreOwned(shape: Shape, before: JsonValue, after: JsonValue, owned: FieldSet): JsonValue {
  const present = withNamedParents(fieldsOf(shape, before), shape);
  const remaining = withNamedParents(fieldsOf(shape, after), shape);
  return removeFields(shape, before, present.difference(remaining.union(withNamedParents(owned, shape))));
}
