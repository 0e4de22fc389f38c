import { type CelType, DURATION, TIMESTAMP } from './cel-type.ts';
import { EvaluationError, type Meter } from './meter.ts';

/** A value at run time: ints are bigints, doubles are numbers. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelOptional
  | CelTypeName
  | CelOpaque;

export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A timestamp in nanoseconds since 1970. */
export class CelTimestamp {
  readonly nanos: bigint;
  /** The UTC offset in minutes with which it was written, and is formatted again. */
  readonly offset: number;
  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A duration in nanoseconds, in the range of an int64. */
export class CelDuration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A list. Elements are converted on access: a list may be long, and a rule may read only one element. */
export abstract class CelList {
  abstract readonly size: number;
  abstract at(index: number): CelValue;
  /** Optional; by default lists are compared element by element, in order. */
  equals?(other: CelList, meter: Meter): boolean;
  /** The result of `+`. Optional; by default the lists are concatenated. */
  plus?(other: CelList, meter: Meter): CelList;
  *[Symbol.iterator](): Iterator<CelValue> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }
}

export class PlainList extends CelList {
  readonly items: CelValue[];
  constructor(items: CelValue[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): CelValue {
    return this.items[index] as CelValue;
  }
}

/** Two concatenated lists without a copy: concatenation is cheap regardless of their size. */
export class ConcatenatedList extends CelList {
  readonly left: CelList;
  readonly right: CelList;
  readonly size: number;
  constructor(left: CelList, right: CelList) {
    super();
    this.left = left;
    this.right = right;
    this.size = left.size + right.size;
  }
  at(index: number): CelValue {
    let list: CelList = this;
    let rest = index;
    while (list instanceof ConcatenatedList) {
      if (rest < list.left.size) {
        list = list.left;
      } else {
        rest -= list.left.size;
        list = list.right;
      }
    }
    return list.at(rest);
  }
}

/** A map: literals, results of functions, and objects by their (escaped) field names. */
export abstract class CelMap {
  abstract readonly size: number;
  /** `undefined` if there is no such key. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;
  equals?(other: CelMap, meter: Meter): boolean;
}

/** The lookup text of a key; equal keys have equal texts, including `1`, `1u` and `1.0`. */
export function keyText(key: CelValue): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof CelUint) return `n${key.value}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
  throw new EvaluationError('no such overload');
}

export class PlainMap extends CelMap {
  readonly #entries: Map<string, readonly [CelValue, CelValue]>;
  constructor(entries: Map<string, readonly [CelValue, CelValue]> = new Map()) {
    super();
    this.#entries = entries;
  }
  static of(entries: Iterable<readonly [CelValue, CelValue]>): PlainMap {
    const map = new PlainMap();
    for (const [key, value] of entries) map.insert(key, value);
    return map;
  }
  get size(): number {
    return this.#entries.size;
  }
  find(key: CelValue): CelValue | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }
  *keys(): Iterable<CelValue> {
    for (const [key] of this.#entries.values()) yield key;
  }
  /** Call `set` and `insert` only before the map is shared. The last `set` of a key wins. */
  set(key: CelValue, value: CelValue): void {
    this.#entries.set(keyText(key), [key, value]);
  }
  insert(key: CelValue, value: CelValue): void {
    const text = keyText(key);
    if (this.#entries.has(text)) throw new EvaluationError(`insert failed: key ${String(key)} already exists`);
    this.#entries.set(text, [key, value]);
  }
}

export class CelOptional {
  static readonly none = new CelOptional(undefined);
  readonly value: CelValue | undefined;
  private constructor(value: CelValue | undefined) {
    this.value = value;
  }
  static of(value: CelValue): CelOptional {
    return new CelOptional(value);
  }
}

/** A type as a value; compared by name. */
export class CelTypeName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value that only its own functions can inspect: a quantity, an address, a URL. */
export abstract class CelOpaque {
  abstract readonly typeName: string;
  abstract equals(other: CelOpaque): boolean;
  /** The size, if costs depend on it. */
  readonly size?: number;
}

/** The name of a value's type at run time. */
export function typeNameOf(value: CelValue): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (value instanceof CelList) return 'list';
  if (value instanceof CelMap) return 'map';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof CelTimestamp) return TIMESTAMP.kind;
  if (value instanceof CelDuration) return DURATION.kind;
  if (value instanceof CelOptional) return 'optional_type';
  if (value instanceof CelTypeName) return 'type';
  return value.typeName;
}

/** Reports whether a value can be passed for a parameter, without inspecting the contents of lists and maps. */
export function isOfType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'parameter':
      return true;
    case 'object':
      return value instanceof CelMap;
    case 'opaque':
      return typeNameOf(value) === type.name;
    default:
      return typeNameOf(value) === type.kind;
  }
}
