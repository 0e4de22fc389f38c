/**
 * Those members that are not as they were when somebody began to change them: a patch of these leaves alone what
 * somebody else has changed meanwhile.
 */
export function changedMembers<Members extends object>(before: Members, after: Members): Partial<Members> {
  const was = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(was.get(member)),
  );
  return Object.fromEntries(changed) as Partial<Members>;
}
