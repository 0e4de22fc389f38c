import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { UsualOrder } from '../../lib/usual-order.ts';
import type { FieldError } from '../field-error.ts';
import type { Schema } from './schema.ts';
import { validateNumber, validateString } from './validate-scalar.ts';

/** `before`: what stood there; what is still the very same in it need not be looked at. */
type Check = (value: JsonValue, before?: JsonValue) => boolean;

/**
 * Whether a schema finds anything wrong with a value, without saying what. Nearly everything that is written is right,
 * and to see that takes a fraction of the time of a search that knows at each step where it is. Schemas are compiled
 * once; where one says something rare, `thorough` has to look.
 */
export function createConforms(
  thorough: (schema: Schema, value: JsonValue) => boolean,
): (schema: Schema, value: JsonValue, before?: JsonValue) => boolean {
  /** When a schema goes, so does what was made of it. */
  const known = new WeakMap<Schema, Check>();

  const checkOf = (schema: Schema): Check => {
    const found = known.get(schema);
    if (found !== undefined) return found;
    const made = isRare(schema) ? (value: JsonValue) => thorough(schema, value) : compile(schema);
    known.set(schema, made);
    return made;
  };

  const compile = (schema: Schema): Check => {
    const takes = takenTypes(schema);
    const allowed = schema.enum === undefined ? undefined : new Set(schema.enum);
    const nullFits = takes.nothing && (allowed === undefined || schema.nullable === true || allowed.has(null));
    const fitsText = textCheck(schema);
    const fitsItems = itemsCheck(schema);
    const fitsMembers = membersCheck(schema);
    return (value, before) => {
      if (value === null) return nullFits;
      if (allowed !== undefined && !allowed.has(value)) return false;
      if (typeof value === 'string') return takes.text && fitsText(value);
      if (typeof value === 'object') {
        return Array.isArray(value) ? takes.list && fitsItems(value) : takes.object && fitsMembers(value, before);
      }
      if (typeof value === 'boolean') return takes.flag;
      if (typeof value !== 'number' && typeof value !== 'bigint') return false;
      const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
      return (
        (isWhole ? takes.whole : takes.fraction) && isFaultless((found) => validateNumber(schema, value, '', found))
      );
    };
  };

  const itemsCheck = (schema: Schema): ((items: JsonValue[]) => boolean) => {
    const { items: itemSchema, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
    const fits = itemSchema === undefined ? undefined : checkOf(itemSchema);
    const listType = schema['x-kubernetes-list-type'];
    const mayRepeat = listType !== 'set' && listType !== 'map';
    return (items) => {
      if (items.length < minItems || items.length > maxItems) return false;
      if (!mayRepeat && items.length > 0) return thorough(schema, items);
      if (fits !== undefined) for (const item of items) if (!fits(item)) return false;
      return true;
    };
  };

  const membersCheck = (schema: Schema): ((object: JsonObject, before?: JsonValue) => boolean) => {
    const { required = [], minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
    const named = new Map(Object.entries(schema.properties ?? {}).map(([name, member]) => [name, checkOf(member)]));
    const { additionalProperties = true } = schema;
    const other: Check =
      typeof additionalProperties === 'object' ? checkOf(additionalProperties) : () => additionalProperties;
    const usual = new UsualOrder<Check>();
    const checkAt = (place: number, name: string): Check => {
      const check = named.get(name) ?? other;
      usual.put(place, name, check);
      return check;
    };
    return (object, before) => {
      const known = isJsonObject(before) ? before : undefined;
      let size = 0;
      for (const name in object) {
        const place = size++;
        const value = object[name];
        const old = known?.[name];
        // Whether there may be such a member at all is a matter of the whole.
        if (old === value && old !== undefined && additionalProperties !== false) continue;
        // What has no value is not there, where the schema knows it.
        if (value === undefined && named.has(name)) continue;
        const check = usual.at(place, name) ?? checkAt(place, name);
        if (!check(value as JsonValue, old)) return false;
      }
      if (size < minProperties || size > maxProperties) return false;
      for (const name of required) if (!Object.hasOwn(object, name)) return false;
      return true;
    };
  };

  return (schema, value, before) => checkOf(schema)(value, before);
}

/** Combinations, and what has to compare whole values. */
function isRare(schema: Schema): boolean {
  const { anyOf, oneOf, allOf, not, uniqueItems, enum: allowed = [] } = schema;
  if (anyOf !== undefined || oneOf !== undefined || allOf !== undefined || not !== undefined) return true;
  return uniqueItems === true || allowed.some((value) => typeof value === 'object' && value !== null);
}

/** No type: any is taken, null too. */
function takenTypes(schema: Schema) {
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type && [schema.type];
  const takes = (type: string) => types === undefined || types.includes(type);
  return {
    nothing: types === undefined || schema.nullable === true,
    text: takes('string'),
    flag: takes('boolean'),
    whole: takes('integer') || takes('number'),
    fraction: takes('number'),
    list: takes('array'),
    object: takes('object'),
  };
}

function textCheck(schema: Schema): (text: string) => boolean {
  const { minLength, maxLength, pattern, format } = schema;
  if (minLength === undefined && maxLength === undefined && pattern === undefined && format === undefined) {
    return () => true;
  }
  return (text) => isFaultless((found) => validateString(schema, text, '', found));
}

function isFaultless(look: (found: FieldError[]) => void): boolean {
  const found: FieldError[] = [];
  look(found);
  return found.length === 0;
}
