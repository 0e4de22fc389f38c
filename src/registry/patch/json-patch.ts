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
 * Like the library of kube-apiserver, it differs from the RFC: null is a patch without operations (Pulumi sends null if
 * it has nothing to change), negative indices count from the end, `01` and `+1` are indices, an absent `value` is null,
 * `test` for null passes if the member is absent, `replace` adds an absent member, `copy` of an absent member is null,
 * and the root cannot be added, removed, copied or moved. One difference is our own: if /metadata/labels or
 * /metadata/annotations does not exist, `add` of an entry creates it.
 * Throws 400 if `operations` is not a list of objects, 413 if there are more than 10 000 operations or they shift too
 * many list items, and 422 if an operation cannot be applied.
 */
export function applyJsonPatch(document: JsonValue, operations: JsonValue): JsonValue {
  if (operations === null) return cloneJson(document);
  if (!Array.isArray(operations)) {
    throw undecodable(operations, 'value of type []handlers.jsonPatchOp');
  }
  for (const operation of operations) checkOperation(operation);
  if (operations.length > maxPatchOperations) {
    throw requestTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxPatchOperations}, got ${operations.length}`,
    );
  }
  try {
    return applyOperations(document, operations, true);
  } catch (error) {
    // As in kube-apiserver, the error has no details (rule PATCH-07).
    if (!(error instanceof InapplicablePatchError)) throw error;
    throw unprocessable('the server rejected our request due to an error in our request');
  }
}

/**
 * Applies the JSON patch of an admission policy or webhook. As in kube-apiserver, `add` does not create
 * /metadata/labels or /metadata/annotations. Throws InapplicablePatchError if an operation cannot be applied, and 413
 * if the patch has too many operations or shifts too many list items.
 */
export function applyAdmissionPatch(document: JsonValue, operations: JsonValue): JsonValue {
  if (!Array.isArray(operations) || !operations.every(isJsonObject)) {
    throw new InapplicablePatchError('the patch is not a list of operations');
  }
  if (operations.length > maxPatchOperations) {
    throw new InapplicablePatchError(`the patch has more than ${maxPatchOperations} operations`);
  }
  return applyOperations(document, operations, false);
}

/** Thrown if an operation of a JSON patch cannot be applied. The message is the same as in kube-apiserver's library. */
export class InapplicablePatchError extends Error {
  override readonly name = 'InapplicablePatchError';
  /** True if the operation is a `test` that found another value. */
  readonly isFailedTest: boolean;

  constructor(message: string, isFailedTest = false) {
    super(message);
    this.isFailedTest = isFailedTest;
  }
}

function applyOperations(document: JsonValue, operations: readonly JsonValue[], isClientPatch: boolean): JsonValue {
  const patched = new PatchedDocument(cloneJson(document), isClientPatch);
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

type Container = JsonObject | JsonValue[];

class PatchedDocument {
  root: JsonValue;
  #copiedBytes = 0;
  #shiftedItems = 0;
  readonly #isClientPatch: boolean;

  constructor(root: JsonValue, isClientPatch: boolean) {
    this.root = root;
    this.#isClientPatch = isClientPatch;
  }

  apply(operation: JsonObject): void {
    const path = pointerIn(operation, 'path');
    const value = getMember(operation, 'value') ?? null;
    const name = getMember(operation, 'op');
    switch (name) {
      case 'add':
        if (this.#isClientPatch) this.#makeMetadataMap(path.steps);
        this.#add(path, 'add', cloneJson(value));
        break;
      case 'remove':
        this.#remove(path, 'remove');
        break;
      case 'replace':
        this.#replace(path, cloneJson(value));
        break;
      case 'move':
        this.#add(path, 'move', this.#remove(pointerIn(operation, 'from'), 'move'));
        break;
      case 'copy':
        this.#copy(pointerIn(operation, 'from'), path);
        break;
      case 'test':
        if (!equalJson(this.#find(path), value)) {
          throw new InapplicablePatchError(`testing value ${path.text} failed: test failed`, true);
        }
        break;
      default:
        throw new InapplicablePatchError(`Unexpected kind: ${typeof name === 'string' ? name : 'unknown'}`);
    }
  }

  #container({ steps, text }: Pointer, operation: string): { container: Container; key: string } {
    const missing = () =>
      new InapplicablePatchError(
        `${operation} operation does not apply: doc is missing path: "${text}": missing value`,
      );
    const key = steps.at(-1);
    if (key === undefined) throw missing();
    let at: JsonValue = this.root;
    for (let depth = 0; depth < steps.length - 1; depth++) {
      const next = childOf(at, steps[depth] as string);
      if (next === undefined) throw missing();
      at = next;
    }
    if (typeof at !== 'object' || at === null) throw missing();
    return { container: at, key };
  }

  /** Returns the value at a pointer. Returns null for an absent member. Throws if an array has no such index. */
  #find(pointer: Pointer): JsonValue {
    if (pointer.steps.length === 0) return this.root;
    const { container, key } = this.#container(pointer, 'test');
    const found = childOf(container, key);
    if (found === undefined && Array.isArray(container)) throw invalidIndex('test', pointer, key);
    return found ?? null;
  }

  #add(pointer: Pointer, operation: string, value: JsonValue): void {
    const { container, key } = this.#container(pointer, operation);
    if (!Array.isArray(container)) {
      setMember(container, key, value);
    } else if (key === '-') {
      container.push(value);
    } else {
      const index = arrayIndex(key, container.length + 1);
      if (index === undefined) throw invalidIndex(operation, pointer, key);
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

  #replace(pointer: Pointer, value: JsonValue): void {
    if (pointer.steps.length === 0) {
      if (typeof value !== 'object' || value === null) {
        throw new InapplicablePatchError('replace operation value must be object or array');
      }
      this.root = value;
      return;
    }
    const { container, key } = this.#container(pointer, 'replace');
    if (Array.isArray(container) && childOf(container, key) === undefined) {
      throw new InapplicablePatchError(
        `replace operation does not apply: doc is missing key: ${pointer.text}: missing value`,
      );
    }
    if (Array.isArray(container)) container[arrayIndex(key, container.length) as number] = value;
    else setMember(container, key, value);
  }

  #remove(pointer: Pointer, operation: string): JsonValue {
    const { container, key } = this.#container(pointer, operation);
    const taken = childOf(container, key);
    if (taken === undefined) {
      if (Array.isArray(container)) throw invalidIndex(operation, pointer, key);
      throw new InapplicablePatchError(
        `error in ${operation} for path: '${pointer.text}': Unable to remove nonexistent key: ${key}: missing value`,
      );
    }
    if (Array.isArray(container)) {
      const index = arrayIndex(key, container.length) ?? 0;
      this.#shift(container.length - index);
      container.splice(index, 1);
    } else delete container[key];
    return taken;
  }

  #copy(from: Pointer, to: Pointer): void {
    const { container, key } = this.#container(from, 'copy');
    const found = childOf(container, key);
    if (found === undefined && Array.isArray(container)) throw invalidIndex('copy', from, key);
    const source = found ?? null;
    const size = jsonSize(source, maxCopiedBytes - this.#copiedBytes);
    if (size === undefined) {
      throw new InapplicablePatchError(`the copy operations of the patch copy more than ${maxCopiedBytes} bytes`);
    }
    this.#copiedBytes += size;
    this.#add(to, 'copy', cloneJson(source));
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

interface Pointer {
  readonly text: string;
  readonly steps: readonly string[];
}

function pointerIn(operation: JsonObject, member: 'path' | 'from'): Pointer {
  const text = getMember(operation, member);
  const steps = typeof text === 'string' ? parsePointer(text) : undefined;
  if (typeof text !== 'string' || steps === undefined || steps.length > maxSteps) {
    throw new InapplicablePatchError(`the operation has no valid ${member}`);
  }
  return { text, steps };
}

function invalidIndex(operation: string, { text }: Pointer, index: string): InapplicablePatchError {
  return new InapplicablePatchError(
    `error in ${operation} for path: '${text}': Unable to access invalid index: ${index}: invalid index referenced`,
  );
}

/** Returns a member or array item. A member named `__proto__` is an ordinary member here; the prototype is not read. */
function childOf(container: JsonValue, step: string): JsonValue | undefined {
  if (Array.isArray(container)) {
    const index = arrayIndex(step, container.length);
    return index === undefined ? undefined : container[index];
  }
  return isJsonObject(container) ? getMember(container, step) : undefined;
}
