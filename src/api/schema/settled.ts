import { isNestedDeeper } from '../../lib/json-depth.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { UsualOrder } from '../../lib/usual-order.ts';
import type { Schema } from './schema.ts';
import { memberSchema } from './schema-members.ts';

/** Schemas are followed so deep, and what none describes again so deep: an object that is settled goes no deeper. */
const deepestSchema = 400;
const deepestUnknown = 400;

/** What a resource has besides its schema. */
const resourceMembers = ['apiVersion', 'kind', 'metadata'] as const;

/**
 * Whether a whole resource is as its schema wants it: `prune`, `shapeEmbedded` and `applyDefaults` would leave it as it
 * is, and it is not too deep to be handled. One look in the place of four, and most of what is written needs no other;
 * what does is told by those four. False: it is not known. Nothing is said of types and of what validation asks for, nor
 * of what the metadata is. What stands in `before` too, which those four have left as it is, need not be looked at.
 */
export function isSettled(schema: Schema, resource: JsonObject, before?: JsonObject): boolean {
  let plan = known.get(schema);
  if (plan === undefined) {
    plan = new Plan(schema, deepestSchema);
    plan.keepResourceMembers();
    known.set(schema, plan);
  }
  return plan.settles(resource, before);
}

const known = new WeakMap<Schema, Plan>();

/** What is known of values that something describes, or that nothing does. */
interface Place {
  /** Whether a null may stand there. */
  readonly takesNull: boolean;
  settles(value: JsonObject | JsonValue[], before?: JsonValue): boolean;
}

/** A schema as it is looked at. Those below are made when a value comes to them: of a large schema little is used. */
class Plan implements Place {
  readonly takesNull: boolean;
  readonly #schema: Schema;
  readonly #levels: number;
  readonly #keepsUnknown: boolean;
  /** A list within one that keeps everything, and resources with metadata of their own, are left to the others. */
  readonly #isRare: boolean;
  readonly #defaults: readonly string[];
  readonly #named = new Map<string, Place>();
  readonly #usual = new UsualOrder<Place>();
  #others: Plan | undefined;
  #items: Plan | undefined;

  constructor(schema: Schema, levels: number) {
    this.#schema = schema;
    this.#levels = levels;
    this.takesNull = schema.nullable === true;
    this.#keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.#isRare = levels === 0 || schema['x-kubernetes-embedded-resource'] === true;
    const { properties = {} } = schema;
    this.#defaults = Object.keys(properties).filter((name) => properties[name]?.default !== undefined);
  }

  /** They stay whatever the schema says, which as a rule says no more than their type. */
  keepResourceMembers(): void {
    for (const name of resourceMembers) {
      const member = memberSchema(this.#schema, name);
      this.#named.set(name, member === undefined || isBare(member) ? kept : never);
    }
  }

  settles(value: JsonObject | JsonValue[], before?: JsonValue): boolean {
    if (this.#isRare) return false;
    if (Array.isArray(value)) return this.#settlesItems(value);
    return this.#settlesMembers(value, isJsonObject(before) ? before : undefined);
  }

  #settlesMembers(object: JsonObject, before: JsonObject | undefined): boolean {
    for (const name of this.#defaults) if (!Object.hasOwn(object, name)) return false;
    let place = -1;
    for (const name in object) {
      place++;
      const value = object[name];
      const old = before?.[name];
      if (old === value && old !== undefined) continue;
      const member = this.#usual.at(place, name) ?? this.#memberAt(place, name);
      if (member === undefined) return false;
      if (typeof value !== 'object') continue;
      if (value === null ? !member.takesNull : !member.settles(value, old)) return false;
    }
    return true;
  }

  #memberAt(place: number, name: string): Place | undefined {
    const member = this.#named.get(name) ?? this.#memberOf(name);
    if (member !== undefined) this.#usual.put(place, name, member);
    return member;
  }

  /** Undefined: the schema does not know it. */
  #memberOf(name: string): Place | undefined {
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

  #settlesItems(items: JsonValue[]): boolean {
    const { items: itemSchema } = this.#schema;
    if (itemSchema === undefined) return items.length === 0 || (this.#keepsUnknown && anything.settles(items));
    if (this.#keepsUnknown) return false;
    this.#items ??= new Plan(itemSchema, this.#levels - 1);
    const { takesNull } = this.#items;
    for (const item of items) {
      if (typeof item !== 'object') continue;
      if (item === null ? !takesNull : !this.#items.settles(item)) return false;
    }
    return true;
  }
}

/** It has nothing to say of what is below. */
function isBare(schema: Schema): boolean {
  const { properties, items, additionalProperties } = schema;
  if (properties !== undefined || items !== undefined || typeof additionalProperties === 'object') return false;
  return schema.default === undefined && schema['x-kubernetes-embedded-resource'] !== true;
}

const anything: Place = {
  takesNull: true,
  settles(value, before) {
    if (!isJsonObject(before) || Array.isArray(value)) return !isNestedDeeper(value, deepestUnknown);
    for (const name in value) {
      const member = value[name];
      if (typeof member !== 'object' || member === before[name]) continue;
      if (isNestedDeeper(member, deepestUnknown - 1)) return false;
    }
    return true;
  },
};

const kept: Place = { takesNull: false, settles: anything.settles };

const never: Place = { takesNull: false, settles: () => false };
