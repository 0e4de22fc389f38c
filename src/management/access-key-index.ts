import type { KubeObject } from '../api/meta.ts';
import { objectAt, textAt } from '../lib/json-path.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { hiddenMadeWith } from './access-key-hidden.ts';
import { ownerMembers } from './access-key-owner.ts';

/** Whom a key is for: the member of spec that says so. */
export type KeyOwnerMember = (typeof ownerMembers)[number];

/** Names of access keys by what else is known of them, so that nobody has to look through all of them. */
export interface AccessKeyIndex {
  of(member: KeyOwnerMember, name: string): ReadonlySet<string>;
  /** The keys that were made with this one, those that were made with them, and so on. */
  madeWith(keyName: string): Set<string>;
}

/** Follows the store of access keys from now on; goes with it. */
export function indexAccessKeys(keys: KindStore): AccessKeyIndex {
  const byOwner = new Map<string, Set<string>>();
  const byMaker = new Map<string, Set<string>>();
  const makers = new Map<string, string>();

  const add = (key: KubeObject): void => {
    const name = key.metadata.name ?? '';
    insert(byOwner, ownerOf(key), name);
    const maker = textAt(objectAt(keys.peekHidden('', name), hiddenMadeWith), 'name');
    if (maker === '') return;
    makers.set(name, maker);
    insert(byMaker, maker, name);
  };

  const remove = (key: KubeObject): void => {
    const name = key.metadata.name ?? '';
    take(byOwner, ownerOf(key), name);
    take(byMaker, makers.get(name) ?? '', name);
    makers.delete(name);
  };

  for (const { object } of keys.peekAll()) add(object);
  keys.listen(({ before, after }) => {
    // Whom it is for and what it was made with stay as they are for as long as a key lives.
    if (before !== undefined && before.object.metadata.uid === after?.object.metadata.uid) return;
    if (before !== undefined) remove(before.object);
    if (after !== undefined) add(after.object);
  });

  return {
    of: (member, name) => byOwner.get(ownerText(member, name)) ?? none,
    madeWith(keyName) {
      const found = new Set<string>();
      const open = [keyName];
      for (let maker = open.pop(); maker !== undefined; maker = open.pop()) {
        for (const name of byMaker.get(maker) ?? []) {
          if (found.has(name)) continue;
          found.add(name);
          open.push(name);
        }
      }
      return found;
    },
  };
}

const none: ReadonlySet<string> = new Set();

function ownerOf(key: KubeObject): string {
  const member = ownerMembers.find((each) => textAt(key, 'spec', each) !== '');
  return member === undefined ? '' : ownerText(member, textAt(key, 'spec', member));
}

function ownerText(member: KeyOwnerMember, name: string): string {
  return `${member} ${name}`;
}

function insert(index: Map<string, Set<string>>, at: string, name: string): void {
  const known = index.get(at);
  if (known === undefined) index.set(at, new Set([name]));
  else known.add(name);
}

function take(index: Map<string, Set<string>>, at: string, name: string): void {
  const known = index.get(at);
  known?.delete(name);
  if (known?.size === 0) index.delete(at);
}
