import { changedMembers } from './changed-members.ts';

/** The display name and description of an object. */
export interface Described {
  readonly displayName: string;
  readonly description: string;
}

/** Returns the `spec` members for a new object. */
export function describedSpec({ displayName, description }: Described): Partial<Described> {
  const [name, text] = [displayName.trim(), description.trim()];
  return { ...(name === '' ? {} : { displayName: name }), ...(text === '' ? {} : { description: text }) };
}

/** Returns the changed members as a merge patch; an empty text removes the member. */
export function describedPatch(described: Described, before: Described): object {
  const members = ({ displayName, description }: Described) => ({
    displayName: displayName.trim() || null,
    description: description.trim() || null,
  });
  return changedMembers(members(before), members(described));
}
