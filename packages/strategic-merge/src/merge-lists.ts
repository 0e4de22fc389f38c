import { goTypeOf, printGo } from '@flotilla/go-text';
import { cloneJson, getMember, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { hasPatchDirective, printGoString, unexpectedType, withoutDirectives } from './directives.ts';
import { ListOfListsError, UnmergeablePatchError } from './patch-error.ts';
import type { ListMergeRule, StrategicPosition } from './position.ts';

type Items = readonly JsonValue[];

const objectType = 'map[string]interface {}';

type MergeItem = (position: StrategicPosition, original: JsonObject, change: JsonObject) => JsonObject;

/** Merges the list `patch` into `original`. The result may share items with `original`. */
export function mergeLists(rule: ListMergeRule, original: Items, patch: Items, mergeItem: MergeItem): JsonValue[] {
  if (original.length + patch.length === 0) return [];
  rule.items.meter.charge(original.length + patch.length);
  if (elementType(original, patch) !== objectType) {
    return sortByTwoOrders('', [...new Set([...original, ...patch])], patch, original);
  }
  const { mergeKey } = rule;
  if (mergeKey === '') throw new UnmergeablePatchError('cannot merge lists without merge key for struct');
  const { kept, added } = applyDirectives(mergeKey, original, patch);
  const merged = mergeKeyed(rule, kept, added, mergeItem);
  return sortByTwoOrders(mergeKey, merged, added, kept);
}

function mergeKeyed(rule: ListMergeRule, kept: Items, added: readonly JsonObject[], mergeItem: MergeItem): JsonValue[] {
  const { mergeKey } = rule;
  const merged = [...kept];
  const positions = new Map<JsonValue | undefined, number>();
  for (const [at, item] of kept.entries()) {
    const key = isJsonObject(item) ? getMember(item, mergeKey) : undefined;
    if (!positions.has(key)) positions.set(key, at);
  }
  for (const change of added) {
    const key = keyOf(change, mergeKey);
    const at = positions.get(key);
    if (at === undefined) positions.set(key, merged.push(cloneJson(change)) - 1);
    else merged[at] = mergeItem(rule.items, merged[at] as JsonObject, change);
  }
  return merged;
}

/** Removes scalars from a list (`$deleteFromPrimitiveList`). As in Kubernetes, a list of objects is merged instead. */
export function removeScalars(rule: ListMergeRule, original: Items, removed: Items, mergeItem: MergeItem): JsonValue[] {
  if (original.length + removed.length > 0 && elementType(original, removed) === objectType) {
    return mergeLists(rule, original, removed, mergeItem);
  }
  rule.items.meter.charge(original.length + removed.length);
  const removedItems = new Set(removed);
  return original.filter((item) => !removedItems.has(item));
}

/** The inputs of `mergeAndOrderList`. */
export interface OrderedLists {
  readonly original: Items | undefined;
  readonly patch: Items | undefined;
  /** The value of `$setElementOrder`: items, or objects that contain only the merge key, in the requested order. */
  readonly wanted: Items;
}

/**
 * Merges `patch` into `original` and sorts the result by `$setElementOrder`. Items that `$setElementOrder` does not
 * contain keep their relative position. Returns `undefined` if both lists are absent.
 */
export function mergeAndOrderList(
  rule: ListMergeRule,
  { original, patch, wanted }: OrderedLists,
  mergeItem: MergeItem,
): JsonValue[] | undefined {
  rule.items.meter.charge((original?.length ?? 0) + (patch?.length ?? 0) + wanted.length);
  checkOrder(rule.mergeKey, patch ?? [], wanted);
  const merged = concatenated(rule, original, patch, mergeItem);
  if (merged === undefined) return undefined;
  elementType(original ?? [], patch ?? []);
  return sortByTwoOrders(rule.mergeKey, merged, wanted, formerOrder(rule, original ?? [], patch ?? []));
}

/**
 * Returns the order of the list before the patch, as Kubernetes determines it. Kubernetes deletes items in place before
 * it reads this order. Therefore items that the patch adds fill the positions that become free at the end of the list.
 */
function formerOrder(rule: ListMergeRule, original: Items, patch: Items): Items {
  const { mergeKey } = rule;
  if (mergeKey === '' || !rule.isMerged || patch.length === 0 || original.length === 0) return original;
  const { kept, added } = applyDirectives(
    mergeKey,
    original,
    patch.filter((item) => !hasPatchDirective(item, 'replace')),
  );
  const known = new Set(kept.map((item) => keyOf(item, mergeKey)));
  const fresh = added.filter((item) => !known.has(keyOf(item, mergeKey)));
  return [...kept, ...fresh.slice(0, original.length - kept.length)];
}

function concatenated(
  rule: ListMergeRule,
  original: Items | undefined,
  patch: Items | undefined,
  mergeItem: MergeItem,
): Items | undefined {
  if (patch === undefined) return original;
  if (original === undefined) return withoutDirectives(cloneJson([...patch])) as JsonValue[];
  return rule.isMerged ? mergeLists(rule, original, patch, mergeItem) : cloneJson([...patch]);
}

/**
 * Evaluates the `$patch` directives of list items. `delete` removes the original items with the same key. `replace`
 * removes all original items.
 */
function applyDirectives(
  mergeKey: string,
  original: Items,
  patch: Items,
): { kept: readonly JsonValue[]; added: readonly JsonObject[] } {
  const deletedKeys = new Set<JsonValue | undefined>();
  let replaces = false;
  const added: JsonObject[] = [];
  for (const item of patch) {
    if (!isJsonObject(item)) throw unexpectedType('map[string]interface {}', item);
    const directive = getMember(item, '$patch');
    if (directive === undefined) added.push(item);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'delete') deletedKeys.add(keyOf(item, mergeKey));
    else {
      throw new UnmergeablePatchError(
        directive === 'merge'
          ? 'merging lists cannot yet be specified in the patch'
          : `unknown patch type: ${printGoString(directive)} in map: ${printGo(item)}`,
      );
    }
  }
  if (replaces) return { kept: cloneJson(added), added: [] };
  const kept = original.filter((item) => !isJsonObject(item) || !deletedKeys.has(getMember(item, mergeKey)));
  return { kept, added };
}

/**
 * Throws an UnmergeablePatchError if the items of the patch are not in `wanted` in the same order. Items that the patch
 * deletes are not checked.
 */
function checkOrder(mergeKey: string, patch: Items, wanted: Items): void {
  if (wanted.length === 0 || patch.length === 0) return;
  const items = mergeKey === '' ? patch : patch.filter((item) => !hasPatchDirective(item, 'delete'));
  let at = 0;
  for (const next of wanted) {
    while (hasPatchDirective(items[at] ?? null)) at++;
    const item = items[at];
    if (item === undefined) return;
    if (identityOf(item, mergeKey) === identityOf(next, mergeKey)) at++;
  }
  if (at < items.length) {
    throw new UnmergeablePatchError(
      `The order in patch list:\n${printGo([...patch])}\n doesn't match $setElementOrder list:\n${printGo([...wanted])}\n`,
    );
  }
}

/**
 * Sorts `merged` by two orders. Items that `leading` contains are sorted as in `leading`, all other items as in
 * `former`. Then the two sorted lists are combined: one of the other items goes before an item of `leading` only if it
 * also precedes that item in `former`.
 */
function sortByTwoOrders(mergeKey: string, merged: Items, leading: Items, former: Items): JsonValue[] {
  if (mergeKey !== '') for (const list of [merged, leading, former]) for (const item of list) keyOf(item, mergeKey);
  const leadingPositions = positionsOf(mergeKey, leading);
  const formerPositions = positionsOf(mergeKey, former);
  const first: SortedItem[] = [];
  const others: SortedItem[] = [];
  const unknown: SortedItem[] = [];
  for (const item of merged) {
    const identity = identityOf(item, mergeKey);
    const position = leadingPositions.get(identity);
    const formerPosition = formerPositions.get(identity);
    if (position !== undefined) first.push({ item, position, formerPosition });
    else if (formerPosition !== undefined) others.push({ item, position: formerPosition, formerPosition });
    else unknown.push({ item, position: 0, formerPosition });
  }
  first.sort(byPosition);
  others.sort(byPosition);
  // As in Kubernetes, items that are in neither order are reversed and placed before the items that are only in
  // `former`.
  return combine(first, [...unknown.reverse(), ...others]);
}

interface SortedItem {
  readonly item: JsonValue;
  /** The position in the order that applies to the item, `leading` or `former`. */
  readonly position: number;
  /** The position in the former order; `undefined` if the item is not in it. */
  readonly formerPosition: number | undefined;
}

function byPosition(a: SortedItem, b: SortedItem): number {
  return a.position - b.position;
}

function combine(leading: readonly SortedItem[], others: readonly SortedItem[]): JsonValue[] {
  const result: JsonValue[] = [];
  let at = 0;
  for (const { item, formerPosition } of others) {
    for (; at < leading.length; at++) {
      const next = leading[at] as SortedItem;
      const precedes =
        formerPosition !== undefined && next.formerPosition !== undefined && formerPosition < next.formerPosition;
      if (precedes) break;
      result.push(next.item);
    }
    result.push(item);
  }
  for (; at < leading.length; at++) result.push((leading[at] as SortedItem).item);
  return result;
}

function positionsOf(mergeKey: string, items: Items): Map<JsonValue, number> {
  const positions = new Map<JsonValue, number>();
  for (const [index, item] of items.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!positions.has(identity)) positions.set(identity, index);
  }
  return positions;
}

/**
 * Returns the value that identifies an item: the value of its merge key, or the item itself if there is no merge key.
 */
function identityOf(item: JsonValue, mergeKey: string): JsonValue {
  return mergeKey === '' ? item : keyOf(item, mergeKey);
}

function keyOf(item: JsonValue, mergeKey: string): JsonValue {
  if (!isJsonObject(item)) throw unexpectedType('map[string]interface {}', item);
  const key = getMember(item, mergeKey);
  if (key === undefined) throw missingMergeKey(item, mergeKey);
  return key;
}

function missingMergeKey(item: JsonObject, mergeKey: string): UnmergeablePatchError {
  return new UnmergeablePatchError(`map: ${printGo(item)} does not contain declared merge key: ${mergeKey}`);
}

/** Returns the Go type of all items. Throws if there are no items, their types differ, or they are lists. */
function elementType(...lists: readonly Items[]): string {
  let type: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const found = goTypeOf(item);
      if (found === '[]interface {}' && type === undefined) throw new ListOfListsError();
      if (found !== (type ?? found) || item === null) {
        const printed = printGo(lists.map((each) => [...each]));
        throw new UnmergeablePatchError(`list element types are not identical: ${printed}`);
      }
      type = found;
    }
  }
  if (type === undefined) throw new UnmergeablePatchError('no elements in any of the given slices');
  return type;
}
