import { sortBytes } from './json-order.ts';
import { type JsonObject, type JsonValue, setMember } from './json-value.ts';
import { flatDepth, isPlain } from './json-write.ts';

/**
 * The same value with its members in byte order at every level, without those that are undefined, and frozen. What is
 * frozen already is taken over as it stands: all that is comes from here or was read from sorted text.
 */
export function canonicalJson<T extends JsonValue>(value: T): T {
  return new CanonicalJson().of(value);
}

/** What a value is to be written as instead, where its text is known; undefined: as what it is. */
export type StandIn = (frozen: JsonObject) => JsonValue | undefined;

/** Makes values canonical, and sees on its way whether JSON.stringify would write them as `writeJson` does. */
export class CanonicalJson {
  readonly #standIn: StandIn | undefined;
  #plain = true;

  /** `standIn` is asked about each object that is frozen already, in the order of the text. */
  constructor(standIn?: StandIn) {
    this.#standIn = standIn;
  }

  /** Of everything that was made so far, as members of one object. False: it is not known. */
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
    if (depth >= flatDepth) this.#plain = false;
    if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      for (const item of value) items.push(this.#canonical(item ?? null, depth + 1));
      return Object.freeze(items) as JsonValue[];
    }
    const copy: JsonObject = {};
    const keys = sortBytes(Object.keys(value));
    for (const key of keys) {
      const member = value[key];
      if (member === undefined) continue;
      // An object has members that look like numbers before all others, and in the order of the numbers.
      if (isDigit(key.charCodeAt(0)) && key !== keys[0]) this.#plain = false;
      setMember(copy, key, typeof member === 'string' ? member : this.#canonical(member, depth + 1));
    }
    return Object.freeze(copy);
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
