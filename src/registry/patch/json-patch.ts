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
import { jsonTypeName } from './json-type-name.ts';

export const maxOperations = 10_000;

/** The maximum that all `copy` operations of one patch may add in total; the request body limit of kube-apiserver. */
export const maxCopiedBytes = 3_145_728;

/** A pointer with more steps leads deeper than any document that can be parsed. */
const maxSteps = 1_000;

/**
 * Applies a JSON patch (RFC 6902) as kube-apiserver does. Returns a new document that shares nothing with its inputs.
 *
 * It differs from the RFC as the library of kube-apiserver does: negative indices count from the end, `01` and `+1` are
 * indices, an absent `value` is null, `test` for null passes if the member is absent, and the root cannot be added,
 * removed, copied or moved. Only here: `add` of an entry under /metadata/labels or /metadata/annotations creates the
 * map.
 *
 * Throws 400 if `operations` is not a list of objects, 413 for more than 10 000 of them, 422 if one cannot be applied.
 */
export function applyJsonPatch(document: JsonValue, operations: JsonValue): JsonValue {
  if (!Array.isArray(operations)) {
    throw undecodable(operations, 'value of type []handlers.jsonPatchOp');
  }
  for (const operation of operations) checkOperation(operation);
  if (operations.length > maxOperations) {
    throw requestTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  }
  const patched = new PatchedDocument(cloneJson(document));
  for (const operation of operations) patched.apply(isJsonObject(operation) ? operation : {});
  return patched.root;
}

/** A null operation counts as one without members, which cannot be applied. */
function checkOperation(operation: JsonValue): void {
  if (operation === null) return;
  if (!isJsonObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp');
  for (const name of ['op', 'path', 'from']) {
    const member = getMember(operation, name) ?? '';
    if (typeof member !== 'string') throw undecodable(member, `struct field jsonPatchOp.${name} of type string`);
  }
}

/** Rule PATCH-05. */
function undecodable(value: JsonValue, target: string): StatusError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into Go ${target}`);
}

/** The reason is omitted on purpose: clients get no details (rule PATCH-07). */
function cannotApply(): StatusError {
  return unprocessable('the server rejected our request due to an error in our request');
}

type Container = JsonObject | JsonValue[];

class PatchedDocument {
  root: JsonValue;
  #copiedBytes = 0;

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

  /** The value at a pointer. An absent member reads as null; an array index must exist. */
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
      container.splice(index, 0, value);
    }
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
    if (Array.isArray(container)) container.splice(arrayIndex(key, container.length) as number, 1);
    else delete container[key];
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
   * Creates the map, so that the documented way to set one annotation works on an object without any (completions §2,
   * 4).
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

/** `delete`, assignment and reading of `__proto__` refer to the own member here, because it was set as one. */
function childOf(container: JsonValue, step: string): JsonValue | undefined {
  if (Array.isArray(container)) {
    const index = arrayIndex(step, container.length);
    return index === undefined ? undefined : container[index];
  }
  return isJsonObject(container) ? getMember(container, step) : undefined;
}
