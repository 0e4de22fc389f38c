import { equalJson, getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { FieldPath } from './field-path.ts';

/** A value in one version of the document; `undefined` if that version has no such field. */
export type MergeValue = JsonValue | undefined;

/** A field that both sides changed to different values. */
export interface MergeConflict {
  readonly steps: FieldPath;
  readonly base: MergeValue;
  readonly mine: MergeValue;
  readonly theirs: MergeValue;
}

export interface MergeResult {
  /** The merged document. In a conflict, the value of `mine` is used unless `choose` returns `theirs`. */
  readonly merged: JsonValue;
  readonly conflicts: readonly MergeConflict[];
}

export interface MergeRules {
  /** Returns the names of the members that identify an item in the list at a path; `undefined` if they are unknown. */
  listKeys?(steps: FieldPath): readonly string[] | undefined;
  /** True if the list at a path is a set of scalars, in which the order of items does not matter. */
  isSet?(steps: FieldPath): boolean;
  /** Returns the side that wins the conflict at a path. Optional; defaults to `mine`. */
  choose?(steps: FieldPath): 'mine' | 'theirs';
}

/**
 * Merges two edits of the same document. Objects are merged by member. Lists are merged by item if their items have
 * keys; other lists are treated as one value.
 */
export function threeWayMerge(
  base: JsonValue,
  mine: JsonValue,
  theirs: JsonValue,
  rules: MergeRules = {},
): MergeResult {
  const conflicts: MergeConflict[] = [];
  const merged = new Merging(rules, conflicts).merge(base, mine, theirs, []);
  return { merged: merged ?? null, conflicts };
}

class Merging {
  readonly #rules: MergeRules;
  readonly #conflicts: MergeConflict[];

  constructor(rules: MergeRules, conflicts: MergeConflict[]) {
    this.#rules = rules;
    this.#conflicts = conflicts;
  }

  merge(base: MergeValue, mine: MergeValue, theirs: MergeValue, steps: FieldPath): MergeValue {
    if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine;
    if (isEqual(base, mine)) return theirs;
    if (isJsonObject(mine) && isJsonObject(theirs)) return this.#objects(base, mine, theirs, steps);
    if (Array.isArray(mine) && Array.isArray(theirs)) {
      const keyed = this.#lists(base, mine, theirs, steps);
      if (keyed !== undefined) return keyed;
    }
    this.#conflicts.push({ steps, base, mine, theirs });
    return this.#rules.choose?.(steps) === 'theirs' ? theirs : mine;
  }

  #objects(base: MergeValue, mine: JsonObject, theirs: JsonObject, steps: FieldPath): JsonObject {
    const before = isJsonObject(base) ? base : {};
    const merged: JsonObject = {};
    for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
      const value = this.merge(getMember(before, name), getMember(mine, name), getMember(theirs, name), [
        ...steps,
        name,
      ]);
      if (value !== undefined) setMember(merged, name, value);
    }
    return merged;
  }

  /**
   * Merges sets, and lists whose items have keys. The result has the order of `mine`, followed by the items that
   * `theirs` added.
   */
  #lists(base: MergeValue, mine: JsonValue[], theirs: JsonValue[], steps: FieldPath): JsonValue[] | undefined {
    const before = Array.isArray(base) ? base : [];
    const sides = [before, mine, theirs] as const;
    const [old, own, other] = indexItemsByKey(sides, this.#rules.listKeys?.(steps)) ?? [];
    if (old !== undefined && own !== undefined && other !== undefined) return this.#keyed(old, own, other, steps);
    if (this.#rules.isSet?.(steps) !== true) return undefined;
    return mergeSets(before, mine, theirs);
  }

  #keyed(
    old: ReadonlyMap<string, JsonValue>,
    own: ReadonlyMap<string, JsonValue>,
    other: ReadonlyMap<string, JsonValue>,
    steps: FieldPath,
  ): JsonValue[] {
    const order = [...new Set([...own.keys(), ...other.keys()])];
    const places = [...own.keys()];
    return order.flatMap((key, at) => {
      const place = places.indexOf(key);
      const value = this.merge(old.get(key), own.get(key), other.get(key), [...steps, place < 0 ? at : place]);
      return value === undefined ? [] : [value];
    });
  }
}

/**
 * Merges two edits of a set of scalars: applies the additions and removals of both edits. Returns `undefined` if not
 * all items are scalars.
 */
function mergeSets(base: JsonValue[], mine: JsonValue[], theirs: JsonValue[]): JsonValue[] | undefined {
  const isScalar = (item: JsonValue) => typeof item !== 'object';
  if ([base, mine, theirs].some((items) => !items.every(isScalar))) return undefined;
  const kept = mine.filter((item) => theirs.includes(item) || !base.includes(item));
  return [...kept, ...theirs.filter((item) => !mine.includes(item) && !base.includes(item))];
}

/** Members that usually identify list items. Used for lists whose schema does not name the identifying members. */
const commonKeys = [['name'], ['variable'], ['version'], ['type'], ['key']];

/**
 * Indexes several versions of a list by the key of each item. Returns `undefined` if the items are not all identified
 * by the same members.
 */
export function indexItemsByKey(
  sides: readonly (readonly JsonValue[])[],
  keys?: readonly string[],
): readonly ReadonlyMap<string, JsonValue>[] | undefined {
  const candidates = keys === undefined || keys.length === 0 ? commonKeys : [keys, ...commonKeys];
  for (const candidate of candidates) {
    const found = sides.map((items) => byKeys(items, candidate));
    if (!found.includes(undefined)) return found as ReadonlyMap<string, JsonValue>[];
  }
  return undefined;
}

/**
 * Indexes list items by the values of the members in `keys`. Returns `undefined` if an item lacks one of these members
 * or two items have the same values.
 */
function byKeys(items: readonly JsonValue[], keys: readonly string[]): ReadonlyMap<string, JsonValue> | undefined {
  const found = new Map<string, JsonValue>();
  for (const item of items) {
    if (!isJsonObject(item) || typeof getMember(item, keys[0] ?? '') !== 'string') return undefined;
    const key = JSON.stringify(keys.map((name) => String(getMember(item, name) ?? '')));
    if (found.has(key)) return undefined;
    found.set(key, item);
  }
  return found;
}

function isEqual(a: MergeValue, b: MergeValue): boolean {
  return a === undefined || b === undefined ? a === b : equalJson(a, b);
}
