import { equalJson, getMember, type JsonObject, type JsonValue } from '@flotilla/json';
import { FieldSet } from '../field-set/field-set.ts';
import { fieldElement, type PathElement } from '../field-set/path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { asList, asMap, itemElement, memberShape, type ShapePart, shapePartFor } from './typed.ts';

/** The differences between two objects. Each path is in at most one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two objects. Throws UnkeyedItemError if a list item has no usable key. */
export function compareTyped(shape: Shape, before: JsonValue, after: JsonValue): Comparison {
  const comparer = new Comparer();
  comparer.compare(shape, before, after);
  return comparer;
}

/**
 * The current position in both objects, as a linked list. The list is converted to path elements only if the values
 * differ, which is rare. A `step` that is a string is a member name. The sets of differences below a position are
 * looked up once and then kept here.
 */
interface Position {
  readonly parent: Position | undefined;
  readonly step: string | PathElement;
  added?: FieldSet;
  modified?: FieldSet;
  removed?: FieldSet;
}

type Difference = keyof Comparison;

interface ItemLists {
  readonly before: readonly JsonValue[];
  readonly after: readonly JsonValue[];
}

/** Compares two objects recursively and collects the differences. */
class Comparer implements Comparison {
  readonly added = new FieldSet();
  readonly modified = new FieldSet();
  readonly removed = new FieldSet();
  /** The current position; `undefined` at the root. */
  #position: Position | undefined;

  /** Compares two values. `undefined` means that a value is absent. At most one of the two values may be absent. */
  compare(shape: Shape, before: JsonValue | undefined, after: JsonValue | undefined): void {
    const first = before === undefined ? undefined : shapePartFor(shape, before);
    const second = after === undefined ? undefined : shapePartFor(shape, after);
    let leaf = false;
    if (first !== undefined) leaf = this.#part(shape, first, before, after);
    if (second !== undefined && second !== first) leaf = this.#part(shape, second, before, after);
    if (leaf) return;
    if (before === undefined) this.#insert('added');
    else if (after === undefined) this.#insert('removed');
  }

  #insert(difference: Difference): void {
    if (this.#position === undefined) return;
    this.#setAt(this.#position.parent, difference).insertElement(elementOf(this.#position));
  }

  #setAt(position: Position | undefined, difference: Difference): FieldSet {
    if (position === undefined) return this[difference];
    position[difference] ??= this.#setAt(position.parent, difference).openBelow(elementOf(position));
    return position[difference];
  }

  /**
   * Compares two values by one part of their shape: map, list or scalar. Returns true if the values were compared as a
   * whole.
   */
  #part(shape: Shape, part: ShapePart, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
    if (part === 'map' && shape.map !== undefined && !shape.map.atomic) {
      if (this.#members(shape.map, asMap(before), asMap(after))) return false;
    } else if (part === 'list' && shape.list !== undefined && !shape.list.atomic) {
      const lists = { before: asList(before) ?? [], after: asList(after) ?? [] };
      if (lists.before.length + lists.after.length > 0) {
        this.#items(shape.list, lists);
        return false;
      }
    }
    this.#leaf(before, after);
    return true;
  }

  #leaf(before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before === undefined) this.#insert('added');
    else if (after === undefined) this.#insert('removed');
    else if (!equalJson(before, after)) this.#insert('modified');
  }

  /** Compares the members of two maps. Returns false if both maps have no members. */
  #members(map: MapShape, before: JsonObject | undefined, after: JsonObject | undefined): boolean {
    const parent = this.#position;
    let found = false;
    for (const name in before) {
      found = true;
      const old = before[name];
      const next = after === undefined ? undefined : getMember(after, name);
      const shape = memberShape(map, name);
      // A write reuses the values that it does not change, so identical values need no comparison.
      if (old === next && old !== undefined && (typeof old !== 'object' || shape.hasKeyedItems !== true)) continue;
      this.#position = { parent, step: name };
      this.compare(shape, old, next);
    }
    for (const name in after) {
      found = true;
      if (before !== undefined && Object.hasOwn(before, name)) continue;
      this.#position = { parent, step: name };
      this.compare(memberShape(map, name), undefined, after[name]);
    }
    this.#position = parent;
    return found;
  }

  #items(list: ListShape, lists: ItemLists): void {
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
    const parent = this.#position;
    for (const group of groups.values()) {
      this.#position = { parent, step: group.element };
      this.#group(list.item, group);
    }
    this.#position = parent;
  }

  /**
   * Compares the items that have the same key. A key that is repeated in both lists: compares the items as a whole. A
   * key that is repeated in one list: they count as added or removed.
   */
  #group(shape: Shape, { before, after }: ItemGroup): void {
    if (before.length <= 1 && after.length <= 1) {
      this.compare(shape, before[0], after[0]);
    } else if (before.length > 1 && after.length > 1) {
      if (!equalJson(before, after)) this.#insert('modified');
    } else if (before.length > 1) {
      if (after.length > 0) this.compare(shape, undefined, after[0]);
      this.#insert('removed');
    } else {
      if (before.length > 0) this.compare(shape, before[0], undefined);
      this.#insert('added');
    }
  }
}

function elementOf({ step }: Position): PathElement {
  return typeof step === 'string' ? fieldElement(step) : step;
}

interface ItemGroup {
  readonly element: PathElement;
  readonly before: JsonValue[];
  readonly after: JsonValue[];
}
