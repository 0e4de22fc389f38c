import type { JsonValue } from '../../lib/json-value.ts';
import type { FieldSet } from './field-set.ts';
import { removeFields } from './remove-fields.ts';
import type { Shape } from './shape.ts';
import { fieldsOf, withNamedParents } from './typed.ts';

/**
 * The merged object without the fields that its applier applied last time (`last`) and that nobody owns now: not the
 * applier's new configuration, not another manager (rule SSA-08). `owned` is everything that anybody owns, the new
 * configuration included.
 *
 * Removing a field takes with it what lies below, which may be somebody's: so first everything of `last` is taken
 * away, then what is owned is brought back, and of what is then still missing only what was in `last` goes. Fields
 * that nobody ever owned, defaults for instance, thereby stay.
 */
export function pruneAbandoned(shape: Shape, merged: JsonValue, last: FieldSet, owned: FieldSet): JsonValue {
  const present = withNamedParents(fieldsOf(shape, merged), shape);
  const abandoned = withNamedParents(last, shape);

  const without = removeFields(shape, merged, abandoned);
  const stillThere = withNamedParents(fieldsOf(shape, without), shape);
  const restored = removeFields(shape, merged, present.difference(stillThere.union(withNamedParents(owned, shape))));
  const there = withNamedParents(fieldsOf(shape, restored), shape);
  return removeFields(shape, merged, present.difference(there).intersection(abandoned));
}
