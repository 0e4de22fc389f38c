import { compareBytes, type JsonObject } from '@flotilla/json';
import type { ObjectMeta, TypedObject } from '../api/meta.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { isSameSpec } from './aggregate-incrementally.ts';

/** An index of object names. An update takes the same time for any number of objects. */
export interface NameIndex {
  /** Returns the names for an index key, in insertion order. */
  of(key: string): ReadonlySet<string>;
  /** Returns the names for an index key, in byte order. The result is cached until the next change. */
  sorted(key: string): readonly string[];
}

const none: ReadonlySet<string> = new Set();

/**
 * Creates an index and updates it with each change in the store. `keysOf` may read only metadata and spec, and the parts of
 * the status that `hasSameStatus` compares.
 */
export function indexNamesBy<Fields extends JsonObject>(
  store: KindStore<Fields>,
  keysOf: (object: TypedObject<Fields>) => Iterable<string>,
  hasSameStatus: (before: TypedObject<Fields>, after: TypedObject<Fields>) => boolean = () => true,
): NameIndex {
  const names = new Map<string, Set<string>>();
  const sortedByKey = new Map<string, readonly string[]>();

  const add = (object: TypedObject<Fields>): void => {
    for (const key of keysOf(object)) {
      const found = names.get(key) ?? new Set();
      names.set(key, found.add(nameOf(object)));
      sortedByKey.delete(key);
    }
  };
  const remove = (object: TypedObject<Fields>): void => {
    for (const key of keysOf(object)) {
      const found = names.get(key);
      found?.delete(nameOf(object));
      if (found?.size === 0) names.delete(key);
      sortedByKey.delete(key);
    }
  };
  follow(store, { add, remove, hasSameStatus });

  return {
    of: (key) => names.get(key) ?? none,
    sorted(key) {
      const cached = sortedByKey.get(key);
      if (cached !== undefined) return cached;
      const found = names.get(key);
      if (found === undefined) return [];
      const sortedNames = [...found].sort(compareBytes);
      sortedByKey.set(key, sortedNames);
      return sortedNames;
    },
  };
}

function follow<Fields extends JsonObject>(
  store: KindStore<Fields>,
  {
    add,
    remove,
    hasSameStatus,
  }: {
    add(object: TypedObject<Fields>): void;
    remove(object: TypedObject<Fields>): void;
    hasSameStatus(before: TypedObject<Fields>, after: TypedObject<Fields>): boolean;
  },
): void {
  for (const { object } of store.peekAll()) add(object);
  store.listen(({ before, after }) => {
    if (before !== undefined && after !== undefined) {
      const [was, is] = [before.object, after.object];
      if (isSameSpec(was, is) && hasSameStatus(was, is)) return;
    }
    if (before !== undefined) remove(before.object);
    if (after !== undefined) add(after.object);
  });
}

function nameOf({ metadata }: { readonly metadata: ObjectMeta }): string {
  return metadata.name ?? '';
}
