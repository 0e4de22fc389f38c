import { cloneJson, getMember, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { PathElement } from '../field-set/path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { asList, asMap, itemElement, memberShape, shapePartFor } from './typed.ts';

/**
 * Merges the applied value into the live one. Removes nothing; scalar values of `applied` replace those of `live`. The
 * result shares nothing with its inputs. Throws UnkeyedItemError if a live list item has no usable key.
 */
export function mergeTyped(shape: Shape, live: JsonValue | undefined, applied: JsonValue | undefined): JsonValue {
  const part = shapePartFor(shape, applied === undefined ? live : applied);
  if (part === 'map' && shape.map !== undefined && !shape.map.atomic) {
    const [before, over] = [asMap(live) ?? {}, asMap(applied) ?? {}];
    if (hasMembers(before) || hasMembers(over)) return mergeMembers(shape.map, before, over);
  } else if (part === 'list' && shape.list !== undefined && !shape.list.atomic) {
    const [before, over] = [asList(live) ?? [], asList(applied) ?? []];
    if (before.length + over.length > 0) return mergeItems(shape.list, before, over);
  }
  return cloneJson(applied === undefined ? (live ?? null) : applied);
}

function mergeMembers(map: MapShape, live: JsonObject, applied: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const name in live) {
    setMember(merged, name, mergeTyped(memberShape(map, name), live[name], getMember(applied, name)));
  }
  for (const name in applied) {
    if (!Object.hasOwn(live, name)) {
      setMember(merged, name, mergeTyped(memberShape(map, name), undefined, applied[name]));
    }
  }
  return merged;
}

function hasMembers(map: JsonObject): boolean {
  for (const _ in map) return true;
  return false;
}

interface Item {
  readonly element: PathElement;
  readonly value: JsonValue;
}

/**
 * Merges two lists whose items are identified by keys. Items that are in both lists have the order of `applied`. Items
 * that are only in `live` keep their position relative to the items in both lists.
 */
function mergeItems(
  list: ListShape,
  liveValues: readonly JsonValue[],
  appliedValues: readonly JsonValue[],
): JsonValue[] {
  const live = itemsOf(list, liveValues);
  const applied = itemsOf(list, appliedValues);
  const inLive = byText(live);
  const inApplied = byText(applied);
  const sharedOrder = applied.map(({ element }) => element.text).filter((text) => inLive.has(text));
  // The current position in `sharedOrder`. Removing the first item instead would copy the rest of a large list each
  // time.
  let shared = 0;
  const taken = new Set<string>();
  const merged: JsonValue[] = [];

  const takeApplied = (item: Item): void => {
    const { text } = item.element;
    taken.add(text);
    if (sharedOrder[shared] === text) shared++;
    merged.push(mergeTyped(list.item, inLive.get(text), item.value));
  };

  let at = 0;
  let from = 0;
  while (at < live.length || from < applied.length) {
    const here = live[at];
    const next = applied[from];
    if (here !== undefined && next !== undefined) {
      if (here.element.text === next.element.text) {
        takeApplied(next);
        at++;
        from++;
        continue;
      }
      const nextShared = sharedOrder[shared];
      if (inApplied.has(here.element.text) && nextShared !== undefined && nextShared !== here.element.text) {
        at++;
        continue;
      }
    }
    if (here !== undefined) {
      if (!inApplied.has(here.element.text)) {
        merged.push(cloneJson(here.value));
        at++;
        continue;
      }
      if (taken.has(here.element.text)) at++;
    }
    if (next !== undefined) {
      takeApplied(next);
      from++;
    }
  }
  return merged;
}

function itemsOf(list: ListShape, values: readonly JsonValue[]): Item[] {
  return values.map((value) => ({ element: itemElement(list, value), value }));
}

/**
 * Maps the key of each item to its value. Duplicate items map to null, because merging with them would be ambiguous.
 */
function byText(items: readonly Item[]): Map<string, JsonValue> {
  const values = new Map<string, JsonValue>();
  for (const { element, value } of items) values.set(element.text, values.has(element.text) ? null : value);
  return values;
}
