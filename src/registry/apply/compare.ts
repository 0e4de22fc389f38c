import { equalJson, getMember, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { asList, asMap, itemElement, memberShape, partFor, type ShapePart } from './typed.ts';

/** The differences between two objects; each path is in at most one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Throws UnkeyedItemError if list items cannot be distinguished. */
export function compareTyped(shape: Shape, before: JsonValue, after: JsonValue): Comparison {
  const comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareAt(shape, before, after, undefined, comparison);
  return comparison;
}

/**
 * The position as a linked list; it becomes a path only where something differs, which is rare. A string is the name of
 * a member.
 */
interface Position {
  readonly parent: Position | undefined;
  readonly step: string | PathElement;
}

function insert(set: FieldSet, position: Position | undefined): void {
  const path: PathElement[] = [];
  for (let at = position; at !== undefined; at = at.parent) {
    path.push(typeof at.step === 'string' ? fieldElement(at.step) : at.step);
  }
  set.insert(path.reverse());
}

/** `undefined` means absent; never on both sides. */
function compareAt(
  shape: Shape,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  position: Position | undefined,
  result: Comparison,
): void {
  const first = before === undefined ? undefined : partFor(shape, before);
  const second = after === undefined ? undefined : partFor(shape, after);
  let leaf = false;
  if (first !== undefined) leaf = comparePart(shape, first, before, after, position, result);
  if (second !== undefined && second !== first) leaf = comparePart(shape, second, before, after, position, result);
  if (leaf) return;
  if (before === undefined) insert(result.added, position);
  else if (after === undefined) insert(result.removed, position);
}

/** Returns true if the values were compared as a whole. */
function comparePart(
  shape: Shape,
  part: ShapePart,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  position: Position | undefined,
  result: Comparison,
): boolean {
  if (part === 'map' && shape.map !== undefined && !shape.map.atomic) {
    if (compareMembers(shape.map, asMap(before), asMap(after), position, result)) return false;
  } else if (part === 'list' && shape.list !== undefined && !shape.list.atomic) {
    const lists = { before: asList(before) ?? [], after: asList(after) ?? [] };
    if (lists.before.length + lists.after.length > 0) {
      compareItems(shape.list, lists, position, result);
      return false;
    }
  }
  compareLeaf(before, after, position, result);
  return true;
}

function compareLeaf(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  position: Position | undefined,
  result: Comparison,
): void {
  if (before === undefined) insert(result.added, position);
  else if (after === undefined) insert(result.removed, position);
  else if (!equalJson(before, after)) insert(result.modified, position);
}

/** Returns false if neither side has members. */
function compareMembers(
  map: MapShape,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  position: Position | undefined,
  result: Comparison,
): boolean {
  let found = false;
  for (const name in before) {
    found = true;
    const old = before[name];
    const next = after === undefined ? undefined : getMember(after, name);
    const shape = memberShape(map, name);
    // Values that a write did not touch are identical.
    if (old === next && old !== undefined && (typeof old !== 'object' || shape.tellsApart !== true)) continue;
    compareAt(shape, old, next, { parent: position, step: name }, result);
  }
  for (const name in after) {
    found = true;
    if (before !== undefined && Object.hasOwn(before, name)) continue;
    compareAt(memberShape(map, name), undefined, after[name], { parent: position, step: name }, result);
  }
  return found;
}

interface ItemGroup {
  readonly element: PathElement;
  readonly before: JsonValue[];
  readonly after: JsonValue[];
}

function compareItems(
  list: ListShape,
  lists: { before: readonly JsonValue[]; after: readonly JsonValue[] },
  position: Position | undefined,
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
    compareGroup(list.item, { before, after }, { parent: position, step: element }, result);
  }
}

/** Duplicate items are compared as a whole; becoming or ceasing to be a duplicate is a change. */
function compareGroup(
  shape: Shape,
  { before, after }: { before: JsonValue[]; after: JsonValue[] },
  position: Position,
  result: Comparison,
): void {
  if (before.length <= 1 && after.length <= 1) {
    compareAt(shape, before[0], after[0], position, result);
  } else if (before.length > 1 && after.length > 1) {
    if (!equalJson(before, after)) insert(result.modified, position);
  } else if (before.length > 1) {
    if (after.length > 0) compareAt(shape, undefined, after[0], position, result);
    insert(result.removed, position);
  } else {
    if (before.length > 0) compareAt(shape, before[0], undefined, position, result);
    insert(result.added, position);
  }
}
