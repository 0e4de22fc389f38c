import { sortByBytes } from './json-order.ts';
import { type JsonObject, type JsonValue, setMember } from './json-value.ts';
import { isPlain, maxWriteDepth } from './json-write.ts';

/**
 * Returns a frozen copy of a value in which all objects have their members sorted by UTF-8 bytes and no undefined
 * members. Frozen objects inside the value are reused, because only this function and parsers of sorted text create
 * them.
 */
export function canonicalJson<T extends JsonValue>(value: T): T {
  return new CanonicalJson().of(value);
}

export interface CanonicalJsonOptions {
  /**
   * Returns a placeholder for a frozen object whose JSON text is already known, or `undefined` to keep the object.
   * Called for the frozen objects in document order. Optional.
   */
  readonly standIn?: (frozen: JsonObject) => JsonValue | undefined;
  /**
   * True if the copies must be frozen, so that they can be shared. Optional; defaults to true. Freezing takes
   * time, and JSON.stringify is slower for frozen objects.
   */
  readonly freezes?: boolean;
}

/**
 * Makes values canonical. After that, `isPlain` reports whether JSON.stringify writes all these values exactly as
 * `writeJson` does.
 */
export class CanonicalJson {
  readonly #standIn: CanonicalJsonOptions['standIn'];
  readonly #freezes: boolean;
  #plain = true;

  constructor({ standIn, freezes = true }: CanonicalJsonOptions = {}) {
    this.#standIn = standIn;
    this.#freezes = freezes;
  }

  /** True if, for all values processed until now, JSON.stringify writes the same text as `writeJson`. */
  get isPlain(): boolean {
    return this.#plain;
  }

  of<T extends JsonValue>(value: T): T {
    return this.#canonical(value, 1) as T;
  }

  #canonical(value: JsonValue, depth: number): JsonValue {
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'bigint') this.#plain = false;
      return value;
    }
    if (Object.isFrozen(value)) {
      const instead = Array.isArray(value) ? undefined : this.#standIn?.(value);
      if (instead !== undefined) return instead;
      if (this.#plain) this.#plain = isPlain(value, true, depth);
      return value;
    }
    if (depth >= maxWriteDepth) this.#plain = false;
    if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      for (const item of value) items.push(this.#canonical(item ?? null, depth + 1));
      return this.#freezes ? (Object.freeze(items) as JsonValue[]) : items;
    }
    const copy: JsonObject = {};
    const keys = sortByBytes(Object.keys(value));
    for (const key of keys) {
      const member = value[key];
      if (member === undefined) continue;
      // JavaScript moves members with integer names to the front, so JSON.stringify would not write them in sorted
      // order.
      if (isDigit(key.charCodeAt(0)) && key !== keys[0]) this.#plain = false;
      setMember(copy, key, typeof member === 'string' ? member : this.#canonical(member, depth + 1));
    }
    return this.#freezes ? Object.freeze(copy) : copy;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
