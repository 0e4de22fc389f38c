import { objectAt, textAt } from '@flotilla/json';
import type { AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { hiddenCreatorKey } from './access-key-hidden.ts';

/** The spec fields that can name the owner of a key; at most one is set. */
export const keyOwnerFields = ['user', 'team', 'subject'] as const;

/** The field that names the owner of a key. `undefined` if none does. */
export function ownerMemberOf({ spec }: Pick<AccessKey, 'spec'>): (typeof keyOwnerFields)[number] | undefined {
  return keyOwnerFields.find((member) => (spec?.[member] ?? '') !== '');
}

/** The spec field that names the owner of a key. */
export type KeyOwnerField = (typeof keyOwnerFields)[number];

/** Indexes of access key names, so that lookups do not scan all keys. */
export interface AccessKeyIndex {
  of(member: KeyOwnerField, name: string): ReadonlySet<string>;
  /** The keys created with this one, directly or transitively. */
  createdWith(keyName: string): Set<string>;
}

/** Follows the store of access keys from now on, for the lifetime of the store. */
export function indexAccessKeys(keys: KindStore<FieldsOf<typeof accessKeyKind>>): AccessKeyIndex {
  const byOwner = new Map<string, Set<string>>();
  const byCreator = new Map<string, Set<string>>();
  const creators = new Map<string, string>();

  const add = (key: AccessKey): void => {
    const name = key.metadata.name ?? '';
    insert(byOwner, ownerOf(key), name);
    const creator = textAt(objectAt(keys.peekHidden('', name), hiddenCreatorKey), 'name');
    if (creator === '') return;
    creators.set(name, creator);
    insert(byCreator, creator, name);
  };

  const remove = (key: AccessKey): void => {
    const name = key.metadata.name ?? '';
    removeFrom(byOwner, ownerOf(key), name);
    removeFrom(byCreator, creators.get(name) ?? '', name);
    creators.delete(name);
  };

  for (const { object } of keys.peekAll()) add(object);
  keys.listen(({ before, after }) => {
    // The owner and the creator key never change during the life of a key.
    if (before !== undefined && before.object.metadata.uid === after?.object.metadata.uid) return;
    if (before !== undefined) remove(before.object);
    if (after !== undefined) add(after.object);
  });

  return {
    of: (member, name) => byOwner.get(ownerText(member, name)) ?? none,
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
