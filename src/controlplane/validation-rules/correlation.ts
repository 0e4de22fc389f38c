import { equalJson, getMember, isJsonObject, type JsonValue } from '@flotilla/json';
import type { Schema } from '../../api/schema/schema.ts';

/**
 * Pairs a value with the value at the same position of the old object. Members are matched by name. Items of lists of
 * the type `map` are matched by their keys. Errors in unchanged values are tolerated (META-23).
 */
export class Correlation {
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  readonly #schema: Schema;
  #unchanged: boolean | undefined;
  #oldByKey: Map<string, JsonValue> | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: Schema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** Returns the pair for a member; `undefined` if the old value does not have the member. */
  member(name: string): Correlation | undefined {
    if (!isJsonObject(this.#value) || !isJsonObject(this.#old)) return undefined;
    const value = getMember(this.#value, name);
    const old = getMember(this.#old, name);
    const schema = memberSchema(this.#schema, name);
    if (value === undefined || old === undefined || schema === undefined) return undefined;
    return new Correlation(value, old, schema);
  }

  item(index: number): Correlation | undefined {
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
    if (this.#schema.items === undefined || !hasKeys(this.#schema)) return undefined;
    this.#oldByKey ??= itemsByKey(this.#schema, this.#old);
    const value = this.#value[index] as JsonValue;
    const old = this.#oldByKey.get(itemKey(this.#schema, value));
    return old === undefined ? undefined : new Correlation(value, old, this.#schema.items);
  }

  get unchanged(): boolean {
    this.#unchanged ??= this.#compare();
    return this.#unchanged;
  }

  #compare(): boolean {
    const value = this.#value;
    const old = this.#old;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (!hasKeys(this.#schema)) return equalJson(value, old);
      return value.every((_, index) => this.item(index)?.unchanged === true);
    }
    if (isJsonObject(value) && isJsonObject(old)) {
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      return names.every((name) => this.member(name)?.unchanged === true);
    }
    return equalJson(value, old);
  }
}

export function memberSchema({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** True for a list with keys (type `map`), whose items can be matched with the items of the old list. */
export function hasKeys(schema: Schema): boolean {
  return schema['x-kubernetes-list-type'] === 'map';
}

export function itemsByKey(schema: Schema, items: readonly JsonValue[]): Map<string, JsonValue> {
  return new Map(items.map((item) => [itemKey(schema, item), item]));
}

export function itemKey(schema: Schema, item: JsonValue): string {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const object = isJsonObject(item) ? item : {};
  return JSON.stringify(keys.map((key) => `${typeof getMember(object, key)} ${String(getMember(object, key))}`));
}
