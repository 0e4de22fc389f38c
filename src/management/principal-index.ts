import type { KubeObject } from '../api/meta.ts';
import { compareBytes } from '../lib/json-order.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { isSameSpec } from './gather-in-turns.ts';

/** Objects of a kind by a word that they have to do with; a change costs what the changed object says, not how many there are. */
export interface PrincipalIndex {
  /** Names, in the order in which they came. */
  of(word: string): ReadonlySet<string>;
  /** The same in byte order; made once and kept until it changes. */
  sorted(word: string): readonly string[];
}

const none: ReadonlySet<string> = new Set();

/** Follows the store of the kind from now on; goes with it. `wordsOf` may look at nothing but metadata and spec. */
export function indexByWords(store: KindStore, wordsOf: (object: KubeObject) => Iterable<string>): PrincipalIndex {
  const names = new Map<string, Set<string>>();
  const inOrder = new Map<string, readonly string[]>();

  const add = (object: KubeObject): void => {
    for (const word of wordsOf(object)) {
      const found = names.get(word) ?? new Set();
      names.set(word, found.add(nameOf(object)));
      inOrder.delete(word);
    }
  };
  const remove = (object: KubeObject): void => {
    for (const word of wordsOf(object)) {
      const found = names.get(word);
      found?.delete(nameOf(object));
      if (found?.size === 0) names.delete(word);
      inOrder.delete(word);
    }
  };
  follow(store, add, remove);

  return {
    of: (word) => names.get(word) ?? none,
    sorted(word) {
      const known = inOrder.get(word);
      if (known !== undefined) return known;
      const found = names.get(word);
      if (found === undefined) return [];
      const made = [...found].sort(compareBytes);
      inOrder.set(word, made);
      return made;
    },
  };
}

function follow(store: KindStore, add: (object: KubeObject) => void, remove: (object: KubeObject) => void): void {
  for (const { object } of store.peekAll()) add(object);
  store.listen(({ before, after }) => {
    if (before !== undefined && after !== undefined && isSameSpec(before.object, after.object)) return;
    if (before !== undefined) remove(before.object);
    if (after !== undefined) add(after.object);
  });
}

function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}
