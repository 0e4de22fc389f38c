import {
  CelList,
  CelMap,
  CelOpaque,
  type CelValue,
  EvaluationError,
  equalValues,
  type Meter,
  parseDuration,
  parseTimestamp,
} from '@flotilla/cel';
import { equalJson, getMember, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import type { Schema } from '../../api/schema/schema.ts';
import { escapeName, unescapeName } from './escape-name.ts';
import { isEmbedded, withMetadata } from './schema-type.ts';

/** Converts JSON to a CEL value according to a schema. Throws EvaluationError if the JSON does not match the schema. */
export function schemaValue(json: JsonValue, schema: Schema): CelValue {
  if (json === null) {
    if (schema.nullable === true) return null;
    throw new EvaluationError('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof json === 'string' || typeof json === 'bigint') return json;
    if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json);
    throw new EvaluationError('invalid data, expected XIntOrString value to be either a string or integer');
  }
  switch (schema.type) {
    case 'object':
      if (!isJsonObject(json)) throw unexpected('a map', 'object');
      return new SchemaMap(json, isEmbedded(schema) ? withMetadata(schema) : schema);
    case 'array':
      if (!Array.isArray(json)) throw unexpected('an array', 'array');
      return listValue(json, schema);
    case 'string':
      if (typeof json !== 'string') throw new EvaluationError(`invalid data, expected string, got ${typeof json}`);
      return textValue(json, schema.format);
    case 'number':
      if (typeof json !== 'number' && typeof json !== 'bigint') throw unexpected('a number', 'number');
      return Number(json);
    case 'integer':
      if (typeof json === 'bigint') return json;
      if (typeof json !== 'number' || !Number.isInteger(json)) throw unexpected('an integer', 'integer');
      return BigInt(json);
    case 'boolean':
      if (typeof json !== 'boolean') throw unexpected('a boolean', 'boolean');
      return json;
    default:
      return new UnknownValue(json);
  }
}

function unexpected(what: string, type: string): EvaluationError {
  return new EvaluationError(`invalid data, expected ${what} for the provided schema with type=${type}`);
}

function textValue(text: string, format: string | undefined): CelValue {
  switch (format) {
    case 'duration': {
      const found = parseDuration(text) ?? parseDuration(text.replace(/\s+/g, ''));
      if (found === undefined) throw new EvaluationError(`Invalid duration ${text}`);
      return found;
    }
    case 'date':
    case 'date-time': {
      const found = parseTimestamp(format === 'date' ? `${text}T00:00:00Z` : text);
      if (found === undefined) throw new EvaluationError(`Invalid ${format} formatted string ${text}`);
      return found;
    }
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    default:
      return text;
  }
}

/** A value that the schema preserves but does not describe. Expressions can only compare such a value. */
class UnknownValue extends CelOpaque {
  readonly typeName = 'unknown';
  readonly #json: JsonValue;
  constructor(json: JsonValue) {
    super();
    this.#json = json;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof UnknownValue && equalJson(this.#json, other.#json);
  }
}

/** An object whose fields have escaped names, or a map with string keys, depending on the schema. */
class SchemaMap extends CelMap {
  readonly #members: JsonObject;
  readonly #schema: Schema;
  readonly #isObject: boolean;
  #size: number | undefined;

  constructor(members: JsonObject, schema: Schema) {
    super();
    this.#members = members;
    this.#schema = schema;
    this.#isObject = schema.properties !== undefined;
  }

  get size(): number {
    this.#size ??= Object.keys(this.#members).length;
    return this.#size;
  }

  #schemaOf(name: string): Schema | undefined {
    const { properties, additionalProperties } = this.#schema;
    if (properties !== undefined) return Object.hasOwn(properties, name) ? properties[name] : undefined;
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') throw new EvaluationError('no such overload');
    const name = this.#isObject ? unescapeName(key) : key;
    if (name === undefined) return undefined;
    const member = getMember(this.#members, name);
    // A field with the value null counts as absent. In a map, null is a value.
    if (member === undefined || (member === null && this.#isObject)) return undefined;
    const schema = this.#schemaOf(name);
    return schema === undefined ? undefined : schemaValue(member, schema);
  }

  *keys(): Iterable<CelValue> {
    for (const name of Object.keys(this.#members)) {
      if (this.#schemaOf(name) === undefined) continue;
      yield this.#isObject ? (escapeName(name) ?? name) : name;
    }
  }

  override equals(other: CelMap, meter: Meter): boolean {
    for (const name of Object.keys(this.#members)) {
      meter.work(1);
      if (this.#schemaOf(name) === undefined) {
        const theirs = other instanceof SchemaMap ? getMember(other.#members, name) : undefined;
        if (theirs !== undefined && !equalJson(this.#members[name] as JsonValue, theirs)) return false;
        continue;
      }
      const key = this.#isObject ? (escapeName(name) ?? name) : name;
      const mine = this.find(key);
      const theirs = other.find(key);
      if (mine === undefined || theirs === undefined) {
        if (mine !== theirs) return false;
      } else if (!equalValues(mine, theirs, meter)) {
        return false;
      }
    }
    return true;
  }
}

function listValue(items: readonly JsonValue[], schema: Schema): CelList {
  const { items: element } = schema;
  if (element === undefined) throw new EvaluationError('invalid array type, expected Items with a non-empty Schema');
  const values: (CelValue | undefined)[] = [];
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return new KeyedList(items, values, element, (item) => JSON.stringify(plain(item)));
    case 'map': {
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      return new KeyedList(items, values, element, (item) => mapKey(item, keys));
    }
    default:
      return new SchemaList(items, values, element);
  }
}

function plain(item: JsonValue): string {
  return `${typeof item} ${String(item)}`;
}

function mapKey(item: JsonValue, keys: readonly string[]): string {
  const of = isJsonObject(item) ? item : {};
  return JSON.stringify(keys.map((key) => plain(getMember(of, key) ?? null)));
}

class SchemaList extends CelList {
  readonly items: readonly JsonValue[];
  readonly #values: (CelValue | undefined)[];
  readonly element: Schema;

  constructor(items: readonly JsonValue[], values: (CelValue | undefined)[], element: Schema) {
    super();
    this.items = items;
    this.#values = values;
    this.element = element;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    let value = this.#values[index];
    if (value === undefined) {
      value = schemaValue(this.items[index] as JsonValue, this.element);
      this.#values[index] = value;
    }
    return value;
  }
}

/** A list of type `set` or `map`: the order of the items does not matter, and `+` merges items by key. */
class KeyedList extends SchemaList {
  readonly #keyOf: (item: JsonValue) => string;
  #indexByKey: Map<string, number> | undefined;

  constructor(
    items: readonly JsonValue[],
    values: (CelValue | undefined)[],
    element: Schema,
    keyOf: (item: JsonValue) => string,
  ) {
    super(items, values, element);
    this.#keyOf = keyOf;
  }

  #byKey(meter: Meter): Map<string, number> {
    if (this.#indexByKey === undefined) {
      meter.work(this.size);
      this.#indexByKey = new Map(this.items.map((item, index) => [this.#keyOf(item), index]));
    }
    return this.#indexByKey;
  }

  override equals(other: CelList, meter: Meter): boolean {
    const indexByKey = this.#byKey(meter);
    for (let index = 0; index < other.size; index++) {
      meter.work(1);
      const value = other.at(index);
      const found =
        other instanceof SchemaList ? indexByKey.get(this.#keyOf(other.items[index] as JsonValue)) : undefined;
      const mine = found ?? this.#search(value, meter);
      if (mine === undefined || !equalValues(this.at(mine), value, meter)) return false;
    }
    return true;
  }

  /** Finds an equal element by comparing one after the other, for values that have no lookup key. */
  #search(value: CelValue, meter: Meter): number | undefined {
    for (let index = 0; index < this.size; index++) if (equalValues(this.at(index), value, meter)) return index;
    return undefined;
  }

  override plus(other: CelList, meter: Meter): CelList {
    const items = [...this.items];
    const values: (CelValue | undefined)[] = items.map((_, index) => this.at(index));
    const indexByKey = new Map(this.#byKey(meter));
    for (let index = 0; index < other.size; index++) {
      meter.work(1);
      const value = other.at(index);
      const item = other instanceof SchemaList ? (other.items[index] as JsonValue) : null;
      const key = other instanceof SchemaList ? this.#keyOf(item) : undefined;
      const found = key === undefined ? this.#search(value, meter) : indexByKey.get(key);
      if (found === undefined) {
        if (key !== undefined) indexByKey.set(key, items.length);
        items.push(item);
        values.push(value);
      } else {
        items[found] = item ?? (items[found] as JsonValue);
        values[found] = value;
      }
    }
    return new KeyedList(items, values, this.element, this.#keyOf);
  }
}
