import { changedMembers } from './changed-members.ts';

/** What people call something, and what they say of it. */
export interface Described {
  readonly displayName: string;
  readonly description: string;
}

/** Texts as they go into `spec` of a new object. */
export function describedSpec({ displayName, description }: Described): Partial<Described> {
  const [name, text] = [displayName.trim(), description.trim()];
  return { ...(name === '' ? {} : { displayName: name }), ...(text === '' ? {} : { description: text }) };
}

/** The same for a merge patch of what is not as it was before: what is empty is taken away. */
export function describedPatch(described: Described, before: Described): object {
  const members = ({ displayName, description }: Described) => ({
    displayName: displayName.trim() || null,
    description: description.trim() || null,
  });
  return changedMembers(members(before), members(described));
}
