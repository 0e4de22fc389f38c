import type { Shape } from '../typed/shape.ts';
import { compareElements, type FieldPath, type PathElement } from './path-element.ts';

interface FieldNode {
  readonly element: PathElement;
  /** True if the set contains the path that ends at this node. It may also contain longer paths. */
  member: boolean;
  children: FieldSet | undefined;
}

const noNodes: ReadonlyMap<string, FieldNode> = new Map();

/**
 * A set of paths into an object, stored as a tree. The result of a set operation may share nodes with its operands, or
 * be one of the operands. Therefore call `insert` only on a new set that no other set uses yet.
 */
export class FieldSet {
  /** The child nodes. The initial map is shared and empty, which saves memory because many sets stay empty. */
  #nodes: ReadonlyMap<string, FieldNode> = noNodes;
  /**
   * A shape that all paths of this set are known to fit. Caching the shape here saves the check for all objects that
   * share the set.
   */
  fitsShape: Shape | undefined;

  static of(...paths: FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** Adds a path. Ignores the empty path, which means the whole object and never has an owner. */
  insert(path: FieldPath): void {
    let set: FieldSet = this;
    for (const [depth, element] of path.entries()) {
      if (depth === path.length - 1) set.insertElement(element);
      else set = set.openBelow(element);
    }
  }

  /** Adds the path that consists of one element. */
  insertElement(element: PathElement): void {
    this.#node(element).member = true;
  }

  /**
   * Returns the set of paths below an element, for the caller to add paths. The caller must add at least one path,
   * because a set must not contain an element without paths.
   */
  openBelow(element: PathElement): FieldSet {
    const node = this.#node(element);
    node.children ??= new FieldSet();
    return node.children;
  }

  /**
   * Adds an element that the set does not contain yet: as a member if `member` is true, with the paths in `below`. Adds
   * nothing if the element is not a member and there are no paths below it.
   */
  add(element: PathElement, member: boolean, below: FieldSet | undefined): void {
    const children = below === undefined || below.isEmpty ? undefined : below;
    if (member || children !== undefined) this.#set({ element, member, children });
  }

  #node(element: PathElement): FieldNode {
    let node = this.#nodes.get(element.text);
    if (node === undefined) {
      node = { element, member: false, children: undefined };
      this.#set(node);
    }
    return node;
  }

  #set(node: FieldNode): void {
    const nodes = this.#nodes === noNodes ? new Map<string, FieldNode>() : (this.#nodes as Map<string, FieldNode>);
    this.#nodes = nodes.set(node.element.text, node);
  }

  get isEmpty(): boolean {
    // A set without nodes has no paths: every node is a member or has members below it.
    return this.#nodes.size === 0;
  }

  /** The number of paths in the set. */
  get size(): number {
    let size = 0;
    for (const { member, children } of this.#nodes.values()) size += (member ? 1 : 0) + (children?.size ?? 0);
    return size;
  }

  has(path: FieldPath): boolean {
    let set: FieldSet | undefined = this;
    for (const element of path.slice(0, -1)) set = set?.below(element);
    const last = path.at(-1);
    return last !== undefined && set?.hasMember(last) === true;
  }

  hasMember(element: PathElement): boolean {
    return this.#nodes.get(element.text)?.member ?? false;
  }

  /** Returns the paths below an element, as a set; `undefined` if there are none. */
  below(element: PathElement): FieldSet | undefined {
    return this.#nodes.get(element.text)?.children;
  }

  union(other: FieldSet): FieldSet {
    if (other.#nodes.size === 0) return this;
    if (this.#nodes.size === 0) return other;
    const result = new FieldSet();
    for (const [text, node] of this.#nodes) {
      const match = other.#nodes.get(text);
      result.add(node.element, node.member || (match?.member ?? false), unionOf(node.children, match?.children));
    }
    for (const [text, node] of other.#nodes) {
      if (!this.#nodes.has(text)) result.add(node.element, node.member, node.children);
    }
    return result;
  }

  /**
   * Returns the union of many sets. Combines pairs of similar size, because adding one set at a time would copy the
   * growing result each time.
   */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    let remaining = sets;
    while (remaining.length > 1) {
      const combined: FieldSet[] = [];
      for (let at = 0; at < remaining.length; at += 2) {
        const [one, other] = remaining.slice(at, at + 2);
        if (one !== undefined) combined.push(other === undefined ? one : one.union(other));
      }
      remaining = combined;
    }
    return remaining[0] ?? new FieldSet();
  }

  intersection(other: FieldSet): FieldSet {
    if (other.#nodes.size < this.#nodes.size) return other.intersection(this);
    const result = new FieldSet();
    for (const [text, node] of this.#nodes) {
      const match = other.#nodes.get(text);
      if (match === undefined) continue;
      const children = match.children === undefined ? undefined : node.children?.intersection(match.children);
      result.add(node.element, node.member && match.member, children);
    }
    return result;
  }

  /** Returns this set without the paths of `other`. Longer paths below a removed path stay. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false);
  }

  /** Returns this set without the paths of `other` and all paths below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, true);
  }

  #without(other: FieldSet, withDescendants: boolean): FieldSet {
    if (!this.#intersects(other, withDescendants)) return this;
    const result = new FieldSet();
    for (const [text, node] of this.#nodes) {
      const match = other.#nodes.get(text);
      if (withDescendants && match?.member === true) continue;
      let { children } = node;
      if (children !== undefined && match?.children !== undefined) {
        children = children.#without(match.children, withDescendants);
      }
      result.add(node.element, node.member && match?.member !== true, children);
    }
    return result;
  }

  /**
   * True if the sets have a path in common. With `withDescendants`, also true if a path of this set is below a path of
   * `other`.
   */
  #intersects(other: FieldSet, withDescendants: boolean): boolean {
    // Iterate over the smaller set, because an object can have many managers with few fields each.
    const isSmaller = this.#nodes.size < other.#nodes.size;
    for (const text of (isSmaller ? this : other).#nodes.keys()) {
      const node = this.#nodes.get(text);
      const match = other.#nodes.get(text);
      if (node === undefined || match === undefined) continue;
      if (match.member && (node.member || withDescendants)) return true;
      const { children } = node;
      if (
        children !== undefined &&
        match.children !== undefined &&
        children.#intersects(match.children, withDescendants)
      )
        return true;
    }
    return false;
  }

  /** Returns the subset that contains only this element and all paths below it. */
  only(element: PathElement): FieldSet {
    const result = new FieldSet();
    const node = this.#nodes.get(element.text);
    if (node !== undefined) result.add(node.element, node.member, node.children);
    return result;
  }

  /**
   * Returns a new set with the same elements. For each element, `change` decides whether it is a member and which paths
   * are below it. Elements without paths are removed.
   */
  map(change: (member: FieldSetMember) => { member: boolean; below: FieldSet | undefined }): FieldSet {
    const result = new FieldSet();
    for (const { element, member, children } of this.#nodes.values()) {
      const changed = change({ element, member, below: children });
      result.add(element, changed.member, changed.below);
    }
    return result;
  }

  /** Returns the elements of the first level, in the order that FieldsV1 uses. */
  members(): FieldSetMember[] {
    const members: FieldSetMember[] = [];
    let isSorted = true;
    let previous: PathElement | undefined;
    for (const { element, member, children } of this.#nodes.values()) {
      isSorted &&= previous === undefined || compareElements(previous, element) <= 0;
      previous = element;
      members.push({ element, member, below: children });
    }
    // Objects are stored with sorted members, so the elements are often in order already.
    return isSorted ? members : members.sort((a, b) => compareElements(a.element, b.element));
  }

  /** Returns all paths of the set in the order in which conflicts are reported: shorter paths first, level by level. */
  paths(): FieldPath[] {
    const paths: FieldPath[] = [];
    this.#collectPaths([], paths);
    return paths;
  }

  #collectPaths(prefix: FieldPath, paths: FieldPath[]): void {
    const members = this.members();
    for (const { element, member } of members) if (member) paths.push([...prefix, element]);
    for (const { element, below } of members) if (below !== undefined) below.#collectPaths([...prefix, element], paths);
  }

  equals(other: FieldSet): boolean {
    return this === other || (this.#isWithin(other) && other.#isWithin(this));
  }

  /** True if this set contains all paths of `other`. */
  includes(other: FieldSet): boolean {
    return other.#isWithin(this);
  }

  /** True if this set contains any path of `other`. */
  meets(other: FieldSet): boolean {
    return this.#intersects(other, false);
  }

  #isWithin(other: FieldSet): boolean {
    for (const [text, node] of this.#nodes) {
      const match = other.#nodes.get(text);
      if (node.member && match?.member !== true) return false;
      if (node.children === undefined) continue;
      if (match?.children === undefined || !node.children.#isWithin(match.children)) return false;
    }
    return true;
  }
}

export interface FieldSetMember {
  readonly element: PathElement;
  readonly member: boolean;
  readonly below: FieldSet | undefined;
}

function unionOf(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.union(b);
}
