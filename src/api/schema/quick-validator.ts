import { isJsonObject, type JsonObject, type JsonValue, KeyOrderCache } from '@flotilla/json';
import type { FieldError } from '../field-error.ts';
import type { Schema } from './schema.ts';
import { validateNumber, validateString } from './validate-scalar.ts';

/**
 * Checks a value. `before` is the previous value. Members that are identical (===) to members of `before` are not
 * checked.
 */
type Check = (value: JsonValue, before?: JsonValue) => boolean;

/**
 * Creates a function that reports whether a value conforms to a schema, without error details. Nearly all written
 * values are valid, and this check takes a fraction of the time of a full validation. Each schema is compiled once.
 * Schemas with rare keywords are passed to `thorough`.
 */
export function createQuickValidator(
  thorough: (schema: Schema, value: JsonValue) => boolean,
): (schema: Schema, value: JsonValue, before?: JsonValue) => boolean {
  /** The compiled checks, in a WeakMap so that they are released together with their schemas. */
  const compiled = new WeakMap<Schema, Check>();

  const checkOf = (schema: Schema): Check => {
    const found = compiled.get(schema);
    if (found !== undefined) return found;
    const made = isRare(schema) ? (value: JsonValue) => thorough(schema, value) : compile(schema);
    compiled.set(schema, made);
    return made;
  };

  const compile = (schema: Schema): Check => {
    const accepts = acceptedTypes(schema);
    const allowed = schema.enum === undefined ? undefined : new Set(schema.enum);
    const nullFits = accepts.nothing && (allowed === undefined || schema.nullable === true || allowed.has(null));
    const fitsText = textCheck(schema);
    const fitsItems = itemsCheck(schema);
    const fitsMembers = membersCheck(schema);
    return (value, before) => {
      if (value === null) return nullFits;
      if (allowed !== undefined && !allowed.has(value)) return false;
      if (typeof value === 'string') return accepts.text && fitsText(value);
      if (typeof value === 'object') {
        return Array.isArray(value) ? accepts.list && fitsItems(value) : accepts.object && fitsMembers(value, before);
      }
      if (typeof value === 'boolean') return accepts.flag;
      if (typeof value !== 'number' && typeof value !== 'bigint') return false;
      const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
      return (
        (isWhole ? accepts.whole : accepts.fraction) && isValid((found) => validateNumber(schema, value, '', found))
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
    const usual = new KeyOrderCache<Check>();
    const checkAt = (index: number, name: string): Check => {
      const check = named.get(name) ?? other;
      usual.set(index, name, check);
      return check;
    };
    return (object, before) => {
      const previous = isJsonObject(before) ? before : undefined;
      let size = 0;
      for (const name in object) {
        const index = size++;
        const value = object[name];
        const old = previous?.[name];
        // Skip unchanged members, unless the schema can forbid members: a forbidden member is invalid even if it did
        // not change.
        if (old === value && old !== undefined && additionalProperties !== false) continue;
        // Skip a property with the value undefined, which counts as absent.
        if (value === undefined && named.has(name)) continue;
        const check = usual.get(index, name) ?? checkAt(index, name);
        if (!check(value as JsonValue, old)) return false;
      }
      if (size < minProperties || size > maxProperties) return false;
      for (const name of required) if (!Object.hasOwn(object, name)) return false;
      return true;
    };
  };

  return (schema, value, before) => checkOf(schema)(value, before);
}

/** True for schemas with combinations (anyOf, oneOf, allOf, not) or with keywords that compare whole values. */
function isRare(schema: Schema): boolean {
  const { anyOf, oneOf, allOf, not, uniqueItems, enum: allowed = [] } = schema;
  if (anyOf !== undefined || oneOf !== undefined || allOf !== undefined || not !== undefined) return true;
  return uniqueItems === true || allowed.some((value) => typeof value === 'object' && value !== null);
}

/** Returns the JSON types that a schema accepts. A schema without a type accepts every type, including null. */
function acceptedTypes(schema: Schema) {
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type && [schema.type];
  const accepts = (type: string) => types === undefined || types.includes(type);
  return {
    nothing: types === undefined || schema.nullable === true,
    text: accepts('string'),
    flag: accepts('boolean'),
    whole: accepts('integer') || accepts('number'),
    fraction: accepts('number'),
    list: accepts('array'),
    object: accepts('object'),
  };
}

function textCheck(schema: Schema): (text: string) => boolean {
  const { minLength, maxLength, pattern, format } = schema;
  if (minLength === undefined && maxLength === undefined && pattern === undefined && format === undefined) {
    return () => true;
  }
  return (text) => isValid((found) => validateString(schema, text, '', found));
}

function isValid(validate: (found: FieldError[]) => void): boolean {
  const found: FieldError[] = [];
  validate(found);
  return found.length === 0;
}
