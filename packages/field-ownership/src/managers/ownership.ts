import type { FieldSet } from '../field-set/field-set.ts';
import type { Comparison } from '../typed/compare.ts';
import type { ApplyConflict } from './conflict.ts';
import type { Managers } from './managers.ts';
import type { ComparisonIn } from './versioned-fields.ts';

/**
 * Returns the fields that a write adds or changes and that other managers own. These fields are conflicts: an apply
 * without force is rejected.
 */
export function findConflicts(managers: Managers, comparisonIn: ComparisonIn, writer: string): ApplyConflict[] {
  const changed = perComparison(({ modified, added }) => modified.union(added));
  const conflicts: ApplyConflict[] = [];
  for (const [identity, owner] of managers) {
    const comparison = identity === writer ? undefined : comparisonIn(owner.apiVersion);
    const fields = comparison && owner.fields.intersection(changed(comparison));
    if (fields !== undefined && !fields.isEmpty) conflicts.push({ owner, fields });
  }
  return conflicts;
}

/**
 * Removes the fields that a write added, changed or removed from all managers except the writer. Also removes managers
 * that own no field afterwards (rules SSA-14, SSA-16, SSA-34), and managers whose version does not exist. Changes
 * `managers` in place.
 */
export function releaseFields(managers: Managers, comparisonIn: ComparisonIn, writer: string | undefined): void {
  const touched = perComparison(touchedFields);
  for (const [identity, managed] of managers) {
    const comparison = comparisonIn(managed.apiVersion);
    const fields = identity === writer ? managed.fields : comparison && managed.fields.difference(touched(comparison));
    if (fields === undefined || fields.isEmpty) managers.delete(identity);
    else if (fields !== managed.fields) managers.set(identity, { ...managed, fields });
  }
}

/** Returns a function that calls `compute` only once per comparison and caches the result. */
function perComparison(compute: (comparison: Comparison) => FieldSet): (comparison: Comparison) => FieldSet {
  const known = new Map<Comparison, FieldSet>();
  return (comparison) => {
    const fields = known.get(comparison) ?? compute(comparison);
    known.set(comparison, fields);
    return fields;
  };
}

/** Returns all fields that a write added, changed or removed. */
export function touchedFields({ added, modified, removed }: Comparison): FieldSet {
  return modified.union(added).union(removed);
}
