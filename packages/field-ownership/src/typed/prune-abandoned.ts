import type { JsonValue } from '@flotilla/json';
import type { FieldSet } from '../field-set/field-set.ts';
import { removeFields } from './remove-fields.ts';
import type { Shape } from './shape.ts';
import { fieldsOf, withNamedParents } from './typed.ts';

/**
 * Returns the merged object without abandoned fields (rule SSA-08). A field is abandoned if the applier applied it last
 * time (`last`), but neither the new configuration nor another manager owns it. `owned` contains all owned fields,
 * including those of the new configuration.
 *
 * Removing a field also removes everything below it, and some of that may have an owner. Therefore the function first
 * computes which fields would be missing if all fields of `last` were removed and the owned fields restored. It then
 * removes only the missing fields that are in `last`. Fields that never had an owner, such as defaults, remain.
 */
export function pruneAbandoned(shape: Shape, merged: JsonValue, last: FieldSet, owned: FieldSet): JsonValue {
  const present = withNamedParents(fieldsOf(shape, merged), shape);
  const abandoned = withNamedParents(last, shape);

  const without = removeFields(shape, merged, abandoned);
  const restored = restoreOwned(shape, merged, without, owned);
  const remaining = withNamedParents(fieldsOf(shape, restored), shape);
  return removeFields(shape, merged, present.difference(remaining).intersection(abandoned));
}

/**
 * Returns `before` without the fields that a removal has removed and that have no owner. `after` is the object after
 * the removal.
 */
export function restoreOwned(shape: Shape, before: JsonValue, after: JsonValue, owned: FieldSet): JsonValue {
  const present = withNamedParents(fieldsOf(shape, before), shape);
  const remaining = withNamedParents(fieldsOf(shape, after), shape);
  return removeFields(shape, before, present.difference(remaining.union(withNamedParents(owned, shape))));
}
