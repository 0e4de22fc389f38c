import { equalJson, getMember, type JsonValue } from '../../lib/json-value.ts';
import { FieldSet } from './field-set.ts';
import { type FieldPath, fieldElement, type PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { asList, asMap, itemElement, memberShape, partFor, type ShapePart } from './typed.ts';

/** What differs between two objects; no path is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Throws UnkeyedItemError where items cannot be told apart. */
export function compareTyped(shape: Shape, before: JsonValue, after: JsonValue): Comparison {
  const comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareAt(shape, { before, after }, [], comparison);
  return comparison;
}

/** Undefined: it is not there. Never on both sides. */
interface Sides<T = JsonValue> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

function compareAt(shape: Shape, sides: Sides, path: FieldPath, result: Comparison): void {
  const { before, after } = sides;
  const parts = new Set<ShapePart>();
  if (before !== undefined) parts.add(partFor(shape, before));
  if (after !== undefined) parts.add(partFor(shape, after));
  let leaf = false;
  for (const part of parts) leaf = comparePart(shape, part, sides, path, result);
  if (leaf) return;
  if (before === undefined) result.added.insert(path);
  else if (after === undefined) result.removed.insert(path);
}

/** True if it was compared as one thing. */
function comparePart(shape: Shape, part: ShapePart, sides: Sides, path: FieldPath, result: Comparison): boolean {
  if (part === 'map' && shape.map !== undefined && !shape.map.atomic) {
    const maps = { before: asMap(sides.before), after: asMap(sides.after) };
    const names = new Set([...Object.keys(maps.before ?? {}), ...Object.keys(maps.after ?? {})]);
    if (names.size > 0) {
      compareMembers(shape.map, maps, names, path, result);
      return false;
    }
  } else if (part === 'list' && shape.list !== undefined && !shape.list.atomic) {
    const lists = { before: asList(sides.before) ?? [], after: asList(sides.after) ?? [] };
    if (lists.before.length + lists.after.length > 0) {
      compareItems(shape.list, lists, path, result);
      return false;
    }
  }
  compareLeaf(sides, path, result);
  return true;
}

function compareLeaf({ before, after }: Sides, path: FieldPath, result: Comparison): void {
  if (before === undefined) result.added.insert(path);
  else if (after === undefined) result.removed.insert(path);
  else if (!equalJson(before, after)) result.modified.insert(path);
}

function compareMembers(
  map: MapShape,
  { before, after }: Sides<{ [name: string]: JsonValue }>,
  names: ReadonlySet<string>,
  path: FieldPath,
  result: Comparison,
): void {
  for (const name of names) {
    const sides = {
      before: before === undefined ? undefined : getMember(before, name),
      after: after === undefined ? undefined : getMember(after, name),
    };
    compareAt(memberShape(map, name), sides, [...path, fieldElement(name)], result);
  }
}

interface ItemGroup {
  readonly element: PathElement;
  readonly before: JsonValue[];
  readonly after: JsonValue[];
}

function compareItems(
  list: ListShape,
  lists: { before: readonly JsonValue[]; after: readonly JsonValue[] },
  path: FieldPath,
  result: Comparison,
): void {
  const groups = new Map<string, ItemGroup>();
  const groupOf = (item: JsonValue): ItemGroup => {
    const element = itemElement(list, item);
    let group = groups.get(element.text);
    if (group === undefined) {
      group = { element, before: [], after: [] };
      groups.set(element.text, group);
    }
    return group;
  };
  for (const item of lists.before) groupOf(item).before.push(item);
  for (const item of lists.after) groupOf(item).after.push(item);
  for (const { element, before, after } of groups.values()) {
    compareGroup(list.item, { before, after }, [...path, element], result);
  }
}

/** Items that are there more than once are compared as one thing; to become one, or cease to be, is a change. */
function compareGroup(
  shape: Shape,
  { before, after }: { before: JsonValue[]; after: JsonValue[] },
  path: FieldPath,
  result: Comparison,
): void {
  if (before.length <= 1 && after.length <= 1) {
    compareAt(shape, { before: before[0], after: after[0] }, path, result);
  } else if (before.length > 1 && after.length > 1) {
    if (!equalJson(before, after)) result.modified.insert(path);
  } else if (before.length > 1) {
    if (after.length > 0) compareAt(shape, { before: undefined, after: after[0] }, path, result);
    result.removed.insert(path);
  } else {
    if (before.length > 0) compareAt(shape, { before: before[0], after: undefined }, path, result);
    result.added.insert(path);
  }
}
