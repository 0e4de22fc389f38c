import type { AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { accessKeyHiddenOf, hiddenCreatorKey } from './access-key-hidden.ts';
import { followedUsers } from './followed-groups.ts';

/** The fields of an access key's spec that can name its owner. At most one is set. */
export const keyOwnerFields = ['user', 'team', 'subject'] as const;

/** Returns the field that names the owner of a key. `undefined` if none is set. */
export function ownerMemberOf({ spec }: Pick<AccessKey, 'spec'>): (typeof keyOwnerFields)[number] | undefined {
  return keyOwnerFields.find((member) => (spec?.[member] ?? '') !== '');
}

/** A field of an access key's spec that can name its owner. */
export type KeyOwnerField = (typeof keyOwnerFields)[number];

/** Indexes of access key names by owner and by creator key, so that lookups do not scan all keys. */
export interface AccessKeyIndex {
  of(member: KeyOwnerField, name: string): ReadonlySet<string>;
  /** Returns the names of the keys that were created with this key, directly or through other keys. */
  createdWith(keyName: string): Set<string>;
  /** Returns the names of the keys with groups that depend on this user. */
  following(user: string): ReadonlySet<string>;
}

/** The part of the store of access keys that the index reads. */
export type ObservedKeys = Pick<KindStore<FieldsOf<typeof accessKeyKind>>, 'peekAll' | 'peekHidden' | 'listen'>;

/** Creates the index and updates it with each change in the store. */
export function indexAccessKeys(keys: ObservedKeys): AccessKeyIndex {
  const byOwner = new Map<string, Set<string>>();
  const byCreator = new Map<string, Set<string>>();
  const creators = new Map<string, string>();
  const byFollowed = new Map<string, Set<string>>();
  const followed = new Map<string, readonly string[]>();

  const follow = (name: string, users: readonly string[]): void => {
    const known = followed.get(name) ?? [];
    for (const user of known) if (!users.includes(user)) removeFrom(byFollowed, user, name);
    for (const user of users) insert(byFollowed, user, name);
    if (users.length === 0) followed.delete(name);
    else followed.set(name, users);
  };

  const add = (key: AccessKey): void => {
    const name = key.metadata.name ?? '';
    const hidden = accessKeyHiddenOf(keys.peekHidden('', name));
    insert(byOwner, ownerOf(key), name);
    follow(name, followedUsers(hidden));
    const creator = hidden?.[hiddenCreatorKey]?.name ?? '';
    if (creator === '') return;
    creators.set(name, creator);
    insert(byCreator, creator, name);
  };

  const remove = (key: AccessKey): void => {
    const name = key.metadata.name ?? '';
    removeFrom(byOwner, ownerOf(key), name);
    removeFrom(byCreator, creators.get(name) ?? '', name);
    creators.delete(name);
    follow(name, []);
  };

  for (const { object } of keys.peekAll()) add(object);
  keys.listen(({ before, after }) => {
    // The owner and the creator of a key never change. But any update of the key can change the users on whom its
    // groups depend.
    if (before !== undefined && before.object.metadata.uid === after?.object.metadata.uid) {
      const { name = '' } = before.object.metadata;
      follow(name, followedUsers(accessKeyHiddenOf(keys.peekHidden('', name))));
      return;
    }
    if (before !== undefined) remove(before.object);
    if (after !== undefined) add(after.object);
  });

  return {
    of: (member, name) => byOwner.get(ownerText(member, name)) ?? none,
    following: (user) => byFollowed.get(user) ?? none,
    createdWith(keyName) {
      const found = new Set<string>();
      const queue = [keyName];
      for (let creator = queue.pop(); creator !== undefined; creator = queue.pop()) {
        for (const name of byCreator.get(creator) ?? []) {
          if (found.has(name)) continue;
          found.add(name);
          queue.push(name);
        }
      }
      return found;
    },
  };
}

const none: ReadonlySet<string> = new Set();

function ownerOf(key: AccessKey): string {
  const member = ownerMemberOf(key);
  return member === undefined ? '' : ownerText(member, key.spec?.[member] ?? '');
}

function ownerText(member: KeyOwnerField, name: string): string {
  return `${member} ${name}`;
}

function insert(index: Map<string, Set<string>>, key: string, name: string): void {
  const names = index.get(key);
  if (names === undefined) index.set(key, new Set([name]));
  else names.add(name);
}

function removeFrom(index: Map<string, Set<string>>, key: string, name: string): void {
  const names = index.get(key);
  names?.delete(name);
  if (names?.size === 0) index.delete(key);
}
