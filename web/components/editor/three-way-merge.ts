import {
  equalJson,
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setMember,
} from '../../../src/lib/json-value.ts';
import type { Steps } from './field-steps.ts';

/** Undefined: it is not there. */
export type Side = JsonValue | undefined;

/** A field that both have changed, each in another way. */
export interface MergeConflict {
  readonly steps: Steps;
  readonly base: Side;
  readonly mine: Side;
  readonly theirs: Side;
}

export interface Merge {
  /** With everything that both changed; where they conflict, mine, unless it was chosen otherwise. */
  readonly merged: JsonValue;
  readonly conflicts: readonly MergeConflict[];
}

export interface MergeRules {
  /** Members by which the items of this list are told apart; undefined: unknown. */
  listKeys?(steps: Steps): readonly string[] | undefined;
  /** Whether a list of words is a set, in which order says nothing. */
  isSet?(steps: Steps): boolean;
  /** Which side a conflict is settled for. */
  choose?(steps: Steps): 'mine' | 'theirs';
}

/**
 * What two people made of the same document, put together. Objects are merged member by member, lists item by item
 * where their items can be told apart, and as one value where not.
 */
export function mergeThree(base: JsonValue, mine: JsonValue, theirs: JsonValue, rules: MergeRules = {}): Merge {
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

  merge(base: Side, mine: Side, theirs: Side, steps: Steps): Side {
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

  #objects(base: Side, mine: JsonObject, theirs: JsonObject, steps: Steps): JsonObject {
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

  /** In my order, with what they added behind it. */
  #lists(base: Side, mine: JsonValue[], theirs: JsonValue[], steps: Steps): JsonValue[] | undefined {
    const before = Array.isArray(base) ? base : [];
    const sides = [before, mine, theirs] as const;
    const [old, own, other] = keyedItems(sides, this.#rules.listKeys?.(steps)) ?? [];
    if (old !== undefined && own !== undefined && other !== undefined) return this.#keyed(old, own, other, steps);
    if (this.#rules.isSet?.(steps) !== true) return undefined;
    return mergedWords(before, mine, theirs);
  }

  #keyed(
    old: ReadonlyMap<string, JsonValue>,
    own: ReadonlyMap<string, JsonValue>,
    other: ReadonlyMap<string, JsonValue>,
    steps: Steps,
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

/** What either added is there, what either took away is not. */
function mergedWords(base: JsonValue[], mine: JsonValue[], theirs: JsonValue[]): JsonValue[] | undefined {
  const isWord = (item: JsonValue) => typeof item !== 'object';
  if ([base, mine, theirs].some((items) => !items.every(isWord))) return undefined;
  const kept = mine.filter((item) => theirs.includes(item) || !base.includes(item));
  return [...kept, ...theirs.filter((item) => !mine.includes(item) && !base.includes(item))];
}

/** Members by which items are commonly told apart, where no schema says. */
const commonKeys = [['name'], ['variable'], ['version'], ['type'], ['key']];

/** Several states of a list, its items by what tells them apart; undefined: nothing does. */
export function keyedItems(
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

/** Undefined: not every item has these members, or two have the same. */
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

function isEqual(a: Side, b: Side): boolean {
  return a === undefined || b === undefined ? a === b : equalJson(a, b);
}
