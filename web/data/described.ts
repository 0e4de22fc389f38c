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

/** The same for a merge patch: what is empty is taken away. */
export function describedPatch({ displayName, description }: Described): object {
  return { displayName: displayName.trim() || null, description: description.trim() || null };
}
