import type { FieldSet } from '../field-set/field-set.ts';
import type { Comparison } from '../typed/compare.ts';
import type { ApplyConflict } from './conflict.ts';
import type { Managers } from './managers.ts';

/**
 * Returns the fields that a write adds or changes and that other managers own. They are conflicts: an apply without
 * force is rejected.
 */
export function findConflicts(managers: Managers, comparison: Comparison, writer: string): ApplyConflict[] {
  const touched = comparison.modified.union(comparison.added);
  const conflicts: ApplyConflict[] = [];
  for (const [identity, owner] of managers) {
    const fields = identity === writer ? undefined : owner.fields.intersection(touched);
    if (fields !== undefined && !fields.isEmpty) conflicts.push({ owner, fields });
  }
  return conflicts;
}

/**
 * Removes the fields that a write added, changed or removed from all managers except the writer. Removes managers that
 * own no field afterwards (rules SSA-14, SSA-16, SSA-34). Changes `managers` in place.
 */
export function releaseFields(managers: Managers, comparison: Comparison, writer: string | undefined): void {
  const touched = touchedFields(comparison);
  for (const [identity, managed] of managers) {
    const fields = identity === writer ? managed.fields : managed.fields.difference(touched);
    if (fields.isEmpty) managers.delete(identity);
    else if (fields !== managed.fields) managers.set(identity, { ...managed, fields });
  }
}

/** Returns all fields that a write added, changed or removed. */
export function touchedFields({ added, modified, removed }: Comparison): FieldSet {
  return modified.union(added).union(removed);
}
