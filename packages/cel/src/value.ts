import { type CelType, DURATION, TIMESTAMP } from './cel-type.ts';
import { EvaluationError, type Meter } from './meter.ts';

/** A CEL value at run time. An int is a bigint, a double is a number. */
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

/** A point in time, in nanoseconds since January 1, 1970 UTC. */
export class CelTimestamp {
  readonly nanos: bigint;
  /** The UTC offset, in minutes, of the text from which the timestamp was parsed. Used for formatting. */
  readonly offset: number;
  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A duration in nanoseconds, limited to the range of an int64. */
export class CelDuration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A list. Elements are converted from JSON on access, because a rule may read only one element of a long list. */
export abstract class CelList {
  abstract readonly size: number;
  abstract at(index: number): CelValue;
  /** Compares two lists. Optional; by default they are compared element by element, in order. */
  equals?(other: CelList, meter: Meter): boolean;
  /** Returns the result of the operator `+`. Optional; by default the lists are concatenated. */
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

/** The concatenation of two lists. It refers to both of them instead of copying their elements. */
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

/** A map or an object. The keys of an object are its escaped field names. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Returns the value for a key, `undefined` if the map does not contain the key. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;
  equals?(other: CelMap, meter: Meter): boolean;
}

/** Returns a string that identifies a key in a lookup table. Equal keys (`1`, `1u` and `1.0`) have equal strings. */
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
  /** Sets the value of a key and replaces a previous value. Must not be called after the map is shared. */
  set(key: CelValue, value: CelValue): void {
    this.#entries.set(keyText(key), [key, value]);
  }
  insert(key: CelValue, value: CelValue): void {
    const text = keyText(key);
    if (this.#entries.has(text)) throw new EvaluationError(`insert failed: key ${String(key)} already exists`);
    this.#entries.set(text, [key, value]);
  }
}

/** An object that an expression has constructed: `Object.spec{replicas: 3}`. */
export class CelMessage extends CelMap {
  readonly typeName: string;
  readonly fields: ReadonlyMap<string, CelValue>;
  constructor(typeName: string, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.typeName = typeName;
    this.fields = fields;
  }
  get size(): number {
    return this.fields.size;
  }
  find(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }
  keys(): Iterable<CelValue> {
    return this.fields.keys();
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

/** A type that is used as a value, such as `int`. Types with equal names are equal. */
export class CelTypeName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value that only certain functions can inspect, such as a quantity, an IP address or a URL. */
export abstract class CelOpaque {
  abstract readonly typeName: string;
  abstract equals(other: CelOpaque): boolean;
  /** The size on which the cost of functions depends. Absent if the cost does not depend on a size. */
  readonly size?: number;
}

/** Returns the name of the type of a value. */
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
  if (value instanceof CelMessage) return value.typeName;
  if (value instanceof CelMap) return 'map';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof CelTimestamp) return TIMESTAMP.kind;
  if (value instanceof CelDuration) return DURATION.kind;
  if (value instanceof CelOptional) return 'optional_type';
  if (value instanceof CelTypeName) return 'type';
  return value.typeName;
}

/** Reports whether a value has the type of a parameter. Does not check the elements of lists and maps. */
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
