import { isJsonObject, isNestedDeeper, type JsonObject, type JsonValue, KeyOrderCache } from '@flotilla/json';
import { memberSchema } from './member-schema.ts';
import type { Schema } from './schema.ts';

/** Depth limits for schemas, and for values without a schema below them. Deeper objects are never normalized. */
const maxSchemaDepth = 400;
const maxUnknownDepth = 400;

/** Members that every resource has besides its schema. */
const resourceMembers = ['apiVersion', 'kind', 'metadata'] as const;

/**
 * True if a resource is normalized: `prune`, `normalizeEmbeddedResources` and `applyDefaults` would not change it, and
 * it is not nested too deeply. One pass replaces four, and most writes need no other. False means unknown: the four
 * passes then decide and report. Does not check types, validation rules or the contents of the metadata. Members shared
 * with `before`, which those passes have already left unchanged, are skipped.
 */
export function isNormalizedResource(schema: Schema, resource: JsonObject, before?: JsonObject): boolean {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = new Plan(schema, maxSchemaDepth);
    plan.keepResourceMembers();
    plans.set(schema, plan);
  }
  return plan.isNormalized(resource, before);
}

const plans = new WeakMap<Schema, Plan>();

/** The rules for a value, whether or not a schema describes it. */
interface Rule {
  /** True if null is allowed. */
  readonly allowsNull: boolean;
  isNormalized(value: JsonObject | JsonValue[], before?: JsonValue): boolean;
}

/**
 * A schema prepared for the check. Child plans are created on demand, because large schemas are rarely used in full.
 */
class Plan implements Rule {
  readonly allowsNull: boolean;
  readonly #schema: Schema;
  readonly #levels: number;
  readonly #keepsUnknown: boolean;
  /**
   * True for cases left to the separate passes: excessive depth, and embedded resources, which have their own metadata.
   */
  readonly #isRare: boolean;
  readonly #defaults: readonly string[];
  readonly #named = new Map<string, Rule>();
  readonly #usual = new KeyOrderCache<Rule>();
  #others: Plan | undefined;
  #items: Plan | undefined;

  constructor(schema: Schema, levels: number) {
    this.#schema = schema;
    this.#levels = levels;
    this.allowsNull = schema.nullable === true;
    this.#keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.#isRare = levels === 0 || schema['x-kubernetes-embedded-resource'] === true;
    const { properties = {} } = schema;
    this.#defaults = Object.keys(properties).filter((name) => properties[name]?.default !== undefined);
  }

  /** Resource members are always kept. Schemas usually declare no more than their type. */
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

  #memberAt(index: number, name: string): Rule | undefined {
    const member = this.#named.get(name) ?? this.#memberOf(name);
    if (member !== undefined) this.#usual.set(index, name, member);
    return member;
  }

  /** `undefined` if the schema does not define the member. */
  #memberOf(name: string): Rule | undefined {
    const { properties, additionalProperties } = this.#schema;
    const own = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) {
      const made = new Plan(own, this.#levels - 1);
      this.#named.set(name, made);
      return made;
    }
    if (typeof additionalProperties === 'object') {
      this.#others ??= new Plan(additionalProperties, this.#levels - 1);
      return this.#others;
    }
    return additionalProperties === true || this.#keepsUnknown ? anything : undefined;
  }

  #areItemsNormalized(items: JsonValue[]): boolean {
    const { items: itemSchema } = this.#schema;
    if (itemSchema === undefined) return items.length === 0 || (this.#keepsUnknown && anything.isNormalized(items));
    if (this.#keepsUnknown) return false;
    this.#items ??= new Plan(itemSchema, this.#levels - 1);
    const { allowsNull } = this.#items;
    for (const item of items) {
      if (typeof item !== 'object') continue;
      if (item === null ? !allowsNull : !this.#items.isNormalized(item)) return false;
    }
    return true;
  }
}

/** True if the schema has no rules for nested values. */
function isBare(schema: Schema): boolean {
  const { properties, items, additionalProperties } = schema;
  if (properties !== undefined || items !== undefined || typeof additionalProperties === 'object') return false;
  return schema.default === undefined && schema['x-kubernetes-embedded-resource'] !== true;
}

const anything: Rule = {
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

const kept: Rule = { allowsNull: false, isNormalized: anything.isNormalized };

const never: Rule = { allowsNull: false, isNormalized: () => false };
