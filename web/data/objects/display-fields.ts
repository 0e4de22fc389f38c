import { changedMembers } from './changed-members.ts';

/** The display name and description of an object. */
export interface DisplayFields {
  readonly displayName: string;
  readonly description: string;
}

/** Returns the `spec` members for a new object. Empty texts are omitted. */
export function displayFieldsSpec({ displayName, description }: DisplayFields): Partial<DisplayFields> {
  const [name, text] = [displayName.trim(), description.trim()];
  return { ...(name === '' ? {} : { displayName: name }), ...(text === '' ? {} : { description: text }) };
}

/** Returns a merge patch with the changed members. An empty text removes the member. */
export function displayFieldsPatch(described: DisplayFields, before: DisplayFields): object {
  const members = ({ displayName, description }: DisplayFields) => ({
    displayName: displayName.trim() || null,
    description: description.trim() || null,
  });
  return changedMembers(members(before), members(described));
}
