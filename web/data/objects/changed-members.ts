/**
 * Returns the members that differ from their values when editing started. A patch of these members leaves concurrent
 * changes by others alone.
 */
export function changedMembers<Members extends object>(before: Members, after: Members): Partial<Members> {
  const was = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(was.get(member)),
  );
  return Object.fromEntries(changed) as Partial<Members>;
}
