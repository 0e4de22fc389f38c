/**
 * A JSON value in memory. Integers beyond 2^53 are bigints, so that every int64 is exact after parsing and writing. All
 * other numbers are of the type `number`.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Sets `target[key]`. The key `__proto__` becomes an ordinary member instead of changing the prototype. All code that
 * copies members with names from a client must use this function.
 */
export function setMember(target: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Reads an own member. Ignores inherited properties such as `constructor` and `toString`. */
export function getMember(source: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}

/*
 * The traversals below use an explicit list instead of recursion: a client's document may be 10,000 levels deep, which
 * would overflow the stack.
 */

type Container = JsonObject | JsonValue[];

function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Copies one level of a value. The spread operator also copies `__proto__` as an ordinary member. */
function shallowCopy(value: Container): Container {
  return Array.isArray(value) ? value.slice() : { ...value };
}

export function cloneJson<T extends JsonValue>(value: T): T {
  if (!isContainer(value)) return value;
  const root = shallowCopy(value);
  const pending = [root];
  for (let copy = pending.pop(); copy !== undefined; copy = pending.pop()) {
    if (Array.isArray(copy)) {
      for (let at = 0; at < copy.length; at++) {
        const item = copy[at];
        if (!isContainer(item)) continue;
        const copied = shallowCopy(item);
        copy[at] = copied;
        pending.push(copied);
      }
    } else {
      for (const key in copy) {
        const member = copy[key];
        if (!isContainer(member)) continue;
        const copied = shallowCopy(member);
        setMember(copy, key, copied);
        pending.push(copied);
      }
    }
  }
  return root as T;
}

export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  const pending: Container[] = [a, b];
  while (pending.length > 0) {
    const other = pending.pop() as Container;
    const one = pending.pop() as Container;
    if (!equalLevel(one, other, pending)) return false;
  }
  return true;
}

/**
 * Compares one level of two values. Adds the nested lists and objects that must still be compared to `pending`, in
 * pairs.
 */
function equalLevel(one: Container, other: Container, pending: Container[]): boolean {
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let at = 0; at < one.length; at++) if (!equalOrPending(one[at], other[at], pending)) return false;
    return true;
  }
  if (Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key) || !equalOrPending(one[key], other[key], pending)) return false;
  }
  return true;
}

function equalOrPending(left: JsonValue | undefined, right: JsonValue | undefined, pending: Container[]): boolean {
  if (left === right) return true;
  if (!isContainer(left) || !isContainer(right)) return false;
  pending.push(left, right);
  return true;
}

export function deepFreeze<T extends JsonValue>(value: T): T {
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!isContainer(next) || Object.isFrozen(next)) continue;
    Object.freeze(next);
    if (Array.isArray(next)) {
      for (const item of next) if (isContainer(item)) pending.push(item);
      continue;
    }
    for (const key in next) {
      const member = next[key];
      if (isContainer(member)) pending.push(member);
    }
  }
  return value;
}
