import { cloneJson, getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { type JsonUnits, jsonWork, WorkMeter } from '@flotilla/work-meter';
import { memberSchema } from './member-schema.ts';
import type { Schema } from './schema.ts';

/** The maximum total size of the defaults that are added to one object, measured with `defaultUnits`. */
const maxAddedUnits = 3 * 1024 * 1024;

/**
 * The minimum number of units for each value in a default. A longer value counts as many units as its JSON has
 * characters.
 */
const unitsPerValue = 50;
const defaultUnits: JsonUnits = {
  perScalar: unitsPerValue,
  perContainer: unitsPerValue,
  perMember: 3,
  perCharacter: 1,
};

/** Thrown if the defaults of a schema would make an object too large. */
export class DefaultsTooLargeError extends Error {
  constructor() {
    super(
      `the defaults of the schema would add more than ${maxAddedUnits} bytes to the object (a value counts as at least ` +
        `${unitsPerValue}); send fewer items, or use smaller defaults`,
    );
    this.name = 'DefaultsTooLargeError';
  }
}

/**
 * Sets absent members to the defaults of the schema, in place. Null counts as absent unless the schema allows null. A
 * null that counts as absent is replaced by the default, or removed if there is no default (rule DEC-22). Throws
 * DefaultsTooLargeError if the defaults are too large. Each item of a list gets its own copy of a default, so a small
 * object could become thousands of times as large.
 */
export function applyDefaults(schema: Schema, value: JsonValue): void {
  const meter = newMeter();
  new Defaulting((units) => {
    if (!meter.tryCharge(units)) throw new DefaultsTooLargeError();
    return true;
  }).fill(schema, value);
}

/**
 * Sets absent members like `applyDefaults`, but omits defaults that would exceed the size limit. Used for stored
 * objects, which must stay readable even if large defaults were added to the schema after the objects were written.
 */
export function applyDefaultsWithinLimit(schema: Schema, value: JsonValue): void {
  const meter = newMeter();
  new Defaulting((units) => meter.tryCharge(units)).fill(schema, value);
}

function newMeter(): WorkMeter {
  return new WorkMeter('applying defaults', maxAddedUnits);
}

class Defaulting {
  /** Charges the units of a default. Returns false if the default must be omitted because of the limit. */
  readonly #mayAdd: (units: number) => boolean;

  constructor(mayAdd: (units: number) => boolean) {
    this.#mayAdd = mayAdd;
  }

  fill(schema: Schema, value: JsonValue): void {
    if (Array.isArray(value)) {
      if (schema.items !== undefined) this.#fillItems(schema.items, value);
    } else if (isJsonObject(value)) {
      this.#fillMembers(schema, value);
    }
  }

  #fillMembers(schema: Schema, object: JsonObject): void {
    for (const { name, value, units } of defaultsOf(schema)) {
      if (!Object.hasOwn(object, name) && this.#mayAdd(units + name.length)) setMember(object, name, cloneJson(value));
    }
    for (const name in object) {
      const member = memberSchema(schema, name);
      if (member === undefined) continue;
      if (object[name] === null && member.nullable !== true) {
        if (member.default === undefined || !this.#mayAdd(unitsOf(member.default))) {
          delete object[name];
          continue;
        }
        setMember(object, name, cloneJson(member.default));
      }
      this.fill(member, getMember(object, name) ?? null);
    }
  }

  /**
   * Replaces null items by their default. A null item without a default is kept, because removing the item would change
   * the indexes of all later items.
   */
  #fillItems(schema: Schema, items: JsonValue[]): void {
    const { default: value } = schema;
    for (let index = 0; index < items.length; index++) {
      if (items[index] === null && schema.nullable !== true && value !== undefined && this.#mayAdd(unitsOf(value))) {
        items[index] = cloneJson(value);
      }
      this.fill(schema, items[index] ?? null);
    }
  }
}

/** A member of a schema that has a default, and the units of the default. */
interface MemberDefault {
  readonly name: string;
  readonly value: JsonValue;
  readonly units: number;
}

const defaultsCache = new WeakMap<Schema, readonly MemberDefault[]>();

/** Returns the members of the schema that have a default. Cached per schema. */
function defaultsOf(schema: Schema): readonly MemberDefault[] {
  const found = defaultsCache.get(schema);
  if (found !== undefined) return found;
  const defaults = Object.entries(schema.properties ?? {}).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [{ name, value, units: unitsOf(value) }],
  );
  defaultsCache.set(schema, defaults);
  return defaults;
}

const unitsCache = new WeakMap<object, number>();

/** Returns the units of a default. Cached for lists and objects. */
function unitsOf(value: JsonValue): number {
  const isContainer = typeof value === 'object' && value !== null;
  const known = isContainer ? unitsCache.get(value) : undefined;
  if (known !== undefined) return known;
  const units = jsonWork(value, defaultUnits, maxAddedUnits);
  if (isContainer) unitsCache.set(value, units);
  return units;
}
