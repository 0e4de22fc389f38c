/**
 * Returns the members of `after` that differ from `before`. A patch with only these members does not overwrite other
 * users' changes to other members.
 */
export function changedMembers<Members extends object>(before: Members, after: Members): Partial<Members> {
  const was = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(was.get(member)),
  );
  return Object.fromEntries(changed) as Partial<Members>;
}
