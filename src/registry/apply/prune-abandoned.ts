import type { JsonValue } from '@flotilla/json';
import type { FieldSet } from './field-set.ts';
import { removeFields } from './remove-fields.ts';
import type { Shape } from './shape.ts';
import { fieldsOf, withNamedParents } from './typed.ts';

/**
 * Returns the merged object without the fields that its applier applied last time (`last`) and that now have no owner:
 * neither the applier's new configuration nor another manager (rule SSA-08). `owned` is the set of all owned fields,
 * including the new configuration.
 *
 * Removing a field also removes everything below it, which may have an owner. So first all of `last` is removed, then
 * the owned fields are restored, and of the fields that are still missing only those in `last` are removed. Fields that
 * never had an owner, such as defaults, therefore stay.
 */
export function pruneAbandoned(shape: Shape, merged: JsonValue, last: FieldSet, owned: FieldSet): JsonValue {
  const present = withNamedParents(fieldsOf(shape, merged), shape);
  const abandoned = withNamedParents(last, shape);

  const without = removeFields(shape, merged, abandoned);
  const stillThere = withNamedParents(fieldsOf(shape, without), shape);
  const restored = removeFields(shape, merged, present.difference(stillThere.union(withNamedParents(owned, shape))));
  const remaining = withNamedParents(fieldsOf(shape, restored), shape);
  return removeFields(shape, merged, present.difference(remaining).intersection(abandoned));
}
