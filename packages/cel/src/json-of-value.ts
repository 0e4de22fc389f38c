import { type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { formatDuration, formatTimestamp } from './library/go-time.ts';
import { EvaluationError } from './meter.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelMessage,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  typeNameOf,
} from './value.ts';

/**
 * The maximum size of a value as JSON, in characters, and the maximum number of elements in a value. A value can
 * contain another value many times without a copy, so its JSON can be far longer than the work of computing the value
 * suggests.
 */
const MAX_SIZE = 3_145_728;
/** The size that each element adds in addition to the size of its text. */
const ELEMENT_SIZE = 4;
/** The maximum nesting depth. More deeply nested values could not be stored. */
const MAX_DEPTH = 1_000;

/** Converts a CEL value to JSON. Throws EvaluationError if that is not possible or the result would be too large. */
export function jsonOfValue(value: CelValue): JsonValue {
  return new Conversion().convert(value, 0);
}

class Conversion {
  #size = 0;

  convert(value: CelValue, depth: number): JsonValue {
    this.#spend(ELEMENT_SIZE);
    if (depth > MAX_DEPTH) throw new EvaluationError(`the value is nested more than ${MAX_DEPTH} levels deep`);
    if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'bigint') return wholeNumber(value);
    if (value instanceof CelUint) return wholeNumber(value.value);
    if (value instanceof CelList) return this.#list(value, depth);
    if (value instanceof CelMap) return this.#map(value, depth);
    if (value instanceof Uint8Array) return this.#text(Buffer.from(value).toString('base64'));
    if (value instanceof CelTimestamp) return formatTimestamp(value);
    if (value instanceof CelDuration) return formatDuration(value);
    if (value instanceof CelOptional && value.value !== undefined) return this.convert(value.value, depth + 1);
    throw new EvaluationError(`a value of type ${typeNameOf(value)} cannot be converted to JSON`);
  }

  #list(list: CelList, depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    for (const item of list) items.push(this.convert(item, depth + 1));
    return items;
  }

  #map(map: CelMap, depth: number): JsonObject {
    const members: JsonObject = {};
    for (const key of map.keys()) {
      if (typeof key !== 'string') {
        throw new EvaluationError(`map key "${String(key)}" is of type ${typeNameOf(key)}, not string`);
      }
      this.#spend(key.length);
      setMember(members, key, this.convert(map.find(key) ?? null, depth + 1));
    }
    return members;
  }

  #text(text: string): string {
    this.#spend(text.length);
    return text;
  }

  #spend(size: number): void {
    this.#size += size;
    if (this.#size > MAX_SIZE) throw new EvaluationError(`the value is larger than ${MAX_SIZE} characters of JSON`);
  }
}

function wholeNumber(value: bigint): JsonValue {
  if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw new EvaluationError(`the integer ${value} is too large for JSON`);
}

/**
 * Returns an error if the types in an object do not match the paths of its fields, as in `Object{spec:
 * Object.status{}}`. As in Kubernetes, lists and maps add nothing to the type name. Pass only a value that
 * `jsonOfValue` has converted, because `jsonOfValue` limits its size.
 */
export function messageTypeError(value: CelValue): string | undefined {
  const pending: { readonly value: CelValue; readonly path: string }[] = [];
  if (value instanceof CelMessage) pending.push({ value, path: value.typeName });
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: one, path } = next;
    if (one instanceof CelMessage) {
      if (one.typeName !== path) {
        return `unexpected type name "${one.typeName}", expected "${path}", which matches field name path from root Object type`;
      }
      for (const [name, field] of one.fields) pending.push({ value: field, path: `${path}.${name}` });
    } else if (one instanceof CelList) {
      for (const item of one) pending.push({ value: item, path });
    } else if (one instanceof CelMap) {
      for (const key of one.keys()) pending.push({ value: one.find(key) ?? null, path });
    }
  }
  return undefined;
}
