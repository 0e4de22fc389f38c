import type { User } from '../../api/management/v1/user.ts';

/**
 * The store slice with the names that users have or had in clusters: object names and subjects, also of deleted users.
 * They are kept because role bindings in virtual clusters, for example, can still name a deleted user. There is one row
 * for each name. The rows are never removed.
 */
const slice = 'used-user-names';

/** The key of the row that records that a name was used. */
interface UsedNameKey {
  readonly slice: string;
  readonly segments: readonly string[];
}

export function usedNameKey(name: string): UsedNameKey {
  return { slice, segments: [name] };
}

/**
 * Returns the writes that record the names of a user. They are part of the transaction that creates or deletes the
 * user, or changes the user's subject. A name is also recorded when the user stops using it, because there are no rows
 * for users that an earlier version of the server created.
 */
export function usedNameWrites(
  old: User | undefined,
  next: User | undefined,
): readonly { readonly key: UsedNameKey; readonly value: string }[] {
  if (old !== undefined && next !== undefined && old.spec?.subject === next.spec?.subject) return [];
  const names = [old, next].flatMap((user) => [user?.metadata.name ?? '', user?.spec?.subject ?? '']);
  return [...new Set(names)].filter((name) => name !== '').map((name) => ({ key: usedNameKey(name), value: '' }));
}
