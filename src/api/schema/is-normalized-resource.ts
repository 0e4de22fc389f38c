import { isJsonObject, isNestedDeeper, type JsonObject, type JsonValue, KeyOrderCache } from '@flotilla/json';
import { memberSchema } from './member-schema.ts';
import type { Schema } from './schema.ts';

/**
 * The maximum depth of the checked schemas, and of values without a schema. Objects that exceed it count as not
 * normalized.
 */
const maxSchemaDepth = 400;
const maxUnknownDepth = 400;

/** Members that every resource can have in addition to those in its schema. */
const resourceMembers = ['apiVersion', 'kind', 'metadata'] as const;

/**
 * Fast path: true if a resource is normalized, that is, `prune`, `normalizeEmbeddedResources` and `applyDefaults` would
 * not change it and it is not nested too deeply. If false, these three functions must run. Does not check types,
 * validation rules or the contents of the metadata. Does not check members that are identical to those of `before`,
 * which must already be normalized.
 */
export function isNormalizedResource(schema: Schema, resource: JsonObject, before?: JsonObject): boolean {
  let check = checks.get(schema);
  if (check === undefined) {
    check = new SchemaCheck(schema, maxSchemaDepth);
    check.keepResourceMembers();
    checks.set(schema, check);
  }
  return check.isNormalized(resource, before);
}

const checks = new WeakMap<Schema, SchemaCheck>();

/** A compiled check of a value, with or without a schema. */
interface Check {
  /** True if null is allowed. */
  readonly allowsNull: boolean;
  isNormalized(value: JsonObject | JsonValue[], before?: JsonValue): boolean;
}

/**
 * A check of values with a schema. The checks of members are created on demand, because most objects use only a small
 * part of a large schema.
 */
class SchemaCheck implements Check {
  readonly allowsNull: boolean;
  readonly #schema: Schema;
  readonly #remainingDepth: number;
  readonly #keepsUnknown: boolean;
  /**
   * True for schemas that the fast path does not support: schemas that are nested too deeply, and embedded resources
   * with their own metadata.
   */
  readonly #isRare: boolean;
  readonly #defaults: readonly string[];
  readonly #named = new Map<string, Check>();
  readonly #usual = new KeyOrderCache<Check>();
  #others: SchemaCheck | undefined;
  #items: SchemaCheck | undefined;

  constructor(schema: Schema, remainingDepth: number) {
    this.#schema = schema;
    this.#remainingDepth = remainingDepth;
    this.allowsNull = schema.nullable === true;
    this.#keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.#isRare = remainingDepth === 0 || schema['x-kubernetes-embedded-resource'] === true;
    const { properties = {} } = schema;
    this.#defaults = Object.keys(properties).filter((name) => properties[name]?.default !== undefined);
  }

  /**
   * Sets the checks of apiVersion, kind and metadata. Pruning always keeps these members, so they are allowed even if
   * the schema does not define them. If the schema has rules for the contents of one of these members, a resource with
   * that member counts as not normalized.
   */
  keepResourceMembers(): void {
    for (const name of resourceMembers) {
      const member = memberSchema(this.#schema, name);
      this.#named.set(name, member === undefined || isBare(member) ? kept : never);
    }
  }

  isNormalized(value: JsonObject | JsonValue[], before?: JsonValue): boolean {
    if (this.#isRare) return false;
    if (Array.isArray(value)) return this.#areItemsNormalized(value);
    return this.#areMembersNormalized(value, isJsonObject(before) ? before : undefined);
  }

  #areMembersNormalized(object: JsonObject, before: JsonObject | undefined): boolean {
    for (const name of this.#defaults) if (!Object.hasOwn(object, name)) return false;
    let index = -1;
    for (const name in object) {
      index++;
      const value = object[name];
      const old = before?.[name];
      if (old === value && old !== undefined) continue;
      const member = this.#usual.get(index, name) ?? this.#memberAt(index, name);
      if (member === undefined) return false;
      if (typeof value !== 'object') continue;
      if (value === null ? !member.allowsNull : !member.isNormalized(value, old)) return false;
    }
    return true;
  }

  #memberAt(index: number, name: string): Check | undefined {
    const member = this.#named.get(name) ?? this.#memberOf(name);
    if (member !== undefined) this.#usual.set(index, name, member);
    return member;
  }

  /** Returns the check of a member. `undefined` if the schema does not define the member. */
  #memberOf(name: string): Check | undefined {
    const { properties, additionalProperties } = this.#schema;
    const own = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) {
      const check = new SchemaCheck(own, this.#remainingDepth - 1);
      this.#named.set(name, check);
      return check;
    }
    if (typeof additionalProperties === 'object') {
      this.#others ??= new SchemaCheck(additionalProperties, this.#remainingDepth - 1);
      return this.#others;
    }
    return additionalProperties === true || this.#keepsUnknown ? anything : undefined;
  }

  #areItemsNormalized(items: JsonValue[]): boolean {
    const { items: itemSchema } = this.#schema;
    if (itemSchema === undefined) return items.length === 0 || (this.#keepsUnknown && anything.isNormalized(items));
    if (this.#keepsUnknown) return false;
    this.#items ??= new SchemaCheck(itemSchema, this.#remainingDepth - 1);
    const { allowsNull } = this.#items;
    for (const item of items) {
      if (typeof item !== 'object') continue;
      if (item === null ? !allowsNull : !this.#items.isNormalized(item)) return false;
    }
    return true;
  }
}

/** True if the schema declares at most a type, and no defaults, members or items. */
function isBare(schema: Schema): boolean {
  const { properties, items, additionalProperties } = schema;
  if (properties !== undefined || items !== undefined || typeof additionalProperties === 'object') return false;
  return schema.default === undefined && schema['x-kubernetes-embedded-resource'] !== true;
}

const anything: Check = {
  allowsNull: true,
  isNormalized(value, before) {
    if (!isJsonObject(before) || Array.isArray(value)) return !isNestedDeeper(value, maxUnknownDepth);
    for (const name in value) {
      const member = value[name];
      if (typeof member !== 'object' || member === before[name]) continue;
      if (isNestedDeeper(member, maxUnknownDepth - 1)) return false;
    }
    return true;
  },
};

const kept: Check = { allowsNull: false, isNormalized: anything.isNormalized };

const never: Check = { allowsNull: false, isNormalized: () => false };
