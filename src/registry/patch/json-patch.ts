import { goJsonTypeName } from '@flotilla/go-text';
import {
  cloneJson,
  equalJson,
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setMember,
} from '@flotilla/json';
import { badRequest, requestTooLarge, type StatusError, unprocessable } from '../../api/status.ts';
import { arrayIndex, parsePointer } from './json-pointer.ts';
import { jsonSize } from './json-size.ts';

export const maxPatchOperations = 10_000;

/** The maximum number of bytes that all `copy` operations of a patch may add, as in kube-apiserver. */
export const maxCopiedBytes = 3_145_728;

/**
 * The maximum number of list items that a patch may shift. Each operation at the start of a list shifts all other items,
 * which takes about a nanosecond per item.
 */
const maxShiftedItems = 100_000_000;

/** The maximum number of steps of a JSON pointer. No document that the JSON parser accepts is nested this deeply. */
const maxSteps = 1_000;

/**
 * Applies a JSON patch (RFC 6902) as kube-apiserver does. Returns a new document that shares nothing with its inputs.
 *
 * It differs from the RFC as the library of kube-apiserver does: negative indices count from the end, `01` and `+1` are
 * indices, an absent `value` is null, `test` for null passes if the member is absent, and the root cannot be added,
 * removed, copied or moved. One difference is our own: if /metadata/labels or /metadata/annotations does not exist,
 * `add` of an entry creates it.
 *
 * Throws 400 if `operations` is not a list of objects, 413 if there are more than 10 000 operations or they shift too
 * many list items, and 422 if an operation cannot be applied.
 */
export function applyJsonPatch(document: JsonValue, operations: JsonValue): JsonValue {
  if (!Array.isArray(operations)) {
    throw undecodable(operations, 'value of type []handlers.jsonPatchOp');
  }
  for (const operation of operations) checkOperation(operation);
  if (operations.length > maxPatchOperations) {
    throw requestTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxPatchOperations}, got ${operations.length}`,
    );
  }
  const patched = new PatchedDocument(cloneJson(document));
  for (const operation of operations) patched.apply(isJsonObject(operation) ? operation : {});
  return patched.root;
}

/**
 * Throws 400 if an operation is not an object. Null is accepted, as in Go; such an operation fails when it is applied.
 */
function checkOperation(operation: JsonValue): void {
  if (operation === null) return;
  if (!isJsonObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp');
  for (const name of ['op', 'path', 'from']) {
    const member = getMember(operation, name) ?? '';
    if (typeof member !== 'string') throw undecodable(member, `struct field jsonPatchOp.${name} of type string`);
  }
}

/** Returns the error for a patch that is not a list of operations (rule PATCH-05). */
function undecodable(value: JsonValue, target: string): StatusError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${goJsonTypeName(value)} into Go ${target}`);
}

/**
 * Returns the error for an operation that cannot be applied. As in kube-apiserver, it has no details (rule PATCH-07).
 */
function cannotApply(): StatusError {
  return unprocessable('the server rejected our request due to an error in our request');
}

type Container = JsonObject | JsonValue[];

class PatchedDocument {
  root: JsonValue;
  #copiedBytes = 0;
  #shiftedItems = 0;

  constructor(root: JsonValue) {
    this.root = root;
  }

  apply(operation: JsonObject): void {
    const path = pointerIn(operation, 'path');
    const value = getMember(operation, 'value') ?? null;
    switch (getMember(operation, 'op')) {
      case 'add':
        this.#makeMetadataMap(path);
        this.#add(path, cloneJson(value));
        break;
      case 'remove':
        this.#remove(path);
        break;
      case 'replace':
        this.#replace(path, cloneJson(value));
        break;
      case 'move':
        this.#add(path, this.#remove(pointerIn(operation, 'from')));
        break;
      case 'copy':
        this.#copy(pointerIn(operation, 'from'), path);
        break;
      case 'test':
        if (!equalJson(this.#find(path), value)) throw cannotApply();
        break;
      default:
        throw cannotApply();
    }
  }

  #container(steps: readonly string[]): { container: Container; key: string } {
    const key = steps.at(-1);
    if (key === undefined) throw cannotApply();
    let at: JsonValue = this.root;
    for (let depth = 0; depth < steps.length - 1; depth++) {
      const next = childOf(at, steps[depth] as string);
      if (next === undefined) throw cannotApply();
      at = next;
    }
    if (typeof at !== 'object' || at === null) throw cannotApply();
    return { container: at, key };
  }

  /** Returns the value at a pointer. Returns null for an absent member. Throws if an array has no such index. */
  #find(steps: readonly string[]): JsonValue {
    if (steps.length === 0) return this.root;
    const { container, key } = this.#container(steps);
    const found = childOf(container, key);
    if (found === undefined && Array.isArray(container)) throw cannotApply();
    return found ?? null;
  }

  #add(steps: readonly string[], value: JsonValue): void {
    const { container, key } = this.#container(steps);
    if (!Array.isArray(container)) {
      setMember(container, key, value);
    } else if (key === '-') {
      container.push(value);
    } else {
      const index = arrayIndex(key, container.length + 1);
      if (index === undefined) throw cannotApply();
      this.#shift(container.length - index);
      container.splice(index, 0, value);
    }
  }

  /** Counts list items that an operation shifts. Throws 413 if there are too many. */
  #shift(items: number): void {
    this.#shiftedItems += items;
    if (this.#shiftedItems <= maxShiftedItems) return;
    throw requestTooLarge(
      `the JSON patch shifts more than ${maxShiftedItems} list items; replace the whole list instead`,
    );
  }

  #replace(steps: readonly string[], value: JsonValue): void {
    if (steps.length === 0) {
      if (typeof value !== 'object' || value === null) throw cannotApply();
      this.root = value;
      return;
    }
    const { container, key } = this.#container(steps);
    if (childOf(container, key) === undefined) throw cannotApply();
    if (Array.isArray(container)) container[arrayIndex(key, container.length) as number] = value;
    else setMember(container, key, value);
  }

  #remove(steps: readonly string[]): JsonValue {
    const { container, key } = this.#container(steps);
    const taken = childOf(container, key);
    if (taken === undefined) throw cannotApply();
    if (Array.isArray(container)) {
      const index = arrayIndex(key, container.length) ?? 0;
      this.#shift(container.length - index);
      container.splice(index, 1);
    } else delete container[key];
    return taken;
  }

  #copy(from: readonly string[], to: readonly string[]): void {
    const { container, key } = this.#container(from);
    const source = childOf(container, key);
    if (source === undefined) throw cannotApply();
    const size = jsonSize(source, maxCopiedBytes - this.#copiedBytes);
    if (size === undefined) throw cannotApply();
    this.#copiedBytes += size;
    this.#add(to, cloneJson(source));
  }

  /**
   * Creates an absent labels or annotations map before an entry is added to it. Without this, the documented way to set
   * one annotation would fail on an object that has no annotations (completions §2, 4).
   */
  #makeMetadataMap(steps: readonly string[]): void {
    const [metadata, map] = steps;
    if (steps.length !== 3 || metadata !== 'metadata' || (map !== 'labels' && map !== 'annotations')) return;
    const owner = isJsonObject(this.root) ? getMember(this.root, 'metadata') : undefined;
    if (isJsonObject(owner) && (getMember(owner, map) ?? null) === null) owner[map] = {};
  }
}

function pointerIn(operation: JsonObject, member: 'path' | 'from'): string[] {
  const pointer = getMember(operation, member);
  const steps = typeof pointer === 'string' ? parsePointer(pointer) : undefined;
  if (steps === undefined || steps.length > maxSteps) throw cannotApply();
  return steps;
}

/** Returns a member or array item. A member named `__proto__` is an ordinary member here; the prototype is not read. */
function childOf(container: JsonValue, step: string): JsonValue | undefined {
  if (Array.isArray(container)) {
    const index = arrayIndex(step, container.length);
    return index === undefined ? undefined : container[index];
  }
  return isJsonObject(container) ? getMember(container, step) : undefined;
}
