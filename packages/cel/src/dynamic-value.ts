import { getMember, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { CelList, CelMap, type CelValue } from './value.ts';

/** Converts JSON to a CEL value without a schema: whole numbers become ints, and other numbers become doubles. */
export function dynamicValue(json: JsonValue): CelValue {
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new DynamicList(json);
  if (isJsonObject(json)) return new DynamicMap(json);
  return json;
}

class DynamicList extends CelList {
  readonly #items: readonly JsonValue[];
  constructor(items: readonly JsonValue[]) {
    super();
    this.#items = items;
  }
  get size(): number {
    return this.#items.length;
  }
  at(index: number): CelValue {
    return dynamicValue(this.#items[index] as JsonValue);
  }
}

class DynamicMap extends CelMap {
  readonly #members: JsonObject;
  #size: number | undefined;
  constructor(members: JsonObject) {
    super();
    this.#members = members;
  }
  get size(): number {
    this.#size ??= Object.keys(this.#members).length;
    return this.#size;
  }
  find(key: CelValue): CelValue | undefined {
    const member = typeof key === 'string' ? getMember(this.#members, key) : undefined;
    return member === undefined ? undefined : dynamicValue(member);
  }
  keys(): Iterable<CelValue> {
    return Object.keys(this.#members);
  }
}
