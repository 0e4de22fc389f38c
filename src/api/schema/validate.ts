import { fastPathsEnabled } from '@flotilla/fast-paths';
import { equalJson, isJsonObject, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { isKnownFormat } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required, tooMany, typeInvalid } from '../field-error.ts';
import { childPath, indexPath } from './field-path.ts';
import { validateListTypes } from './list-type.ts';
import { createQuickValidator } from './quick-validator.ts';
import type { Schema } from './schema.ts';
import { validateNumber, validateString } from './validate-scalar.ts';
import { addError, chargeStep, collectAlternativeErrors, withValidationBudget } from './validation-budget.ts';

/**
 * Returns all validation errors of a value, worded as in kube-apiserver (rule META-21). `path` is the location of the
 * value; it is '' for a whole object. `before` is the previous value. Errors in members that are identical (===) to
 * members of `before` may be omitted. If fast paths are enabled, a quick check runs first, and errors are collected
 * only if that check fails.
 */
export function validateSchema(schema: Schema, value: JsonValue, path = '', before?: JsonValue): FieldError[] {
  return withValidationBudget(path, () => {
    const isValid = fastPathsEnabled() && conforms(schema, value, before);
    return isValid ? [] : collectErrors(schema, value, path);
  });
}

const conforms = createQuickValidator((schema, value) => collectErrors(schema, value, '').length === 0);

/** Collects all errors of a value, without the quick check. */
export function collectErrors(schema: Schema, value: JsonValue, path: string): FieldError[] {
  const errors = collectValueErrors(schema, value, path);
  validateListTypes(schema, value, path, errors);
  return errors;
}

/** Collects all errors of a value except duplicate items in lists of type `set` and `map`. */
export function collectValueErrors(schema: Schema, value: JsonValue, path: string): FieldError[] {
  return withValidationBudget(path, () => {
    const errors: FieldError[] = [];
    validateValue(schema, value, path, errors);
    return errors;
  });
}

function validateValue(schema: Schema, value: JsonValue, path: string, errors: FieldError[]): void {
  chargeStep(schema.enum?.length);
  validateType(schema, value, path, errors);
  if (value !== null) {
    validateCombinations(schema, value, path, errors);
    if (typeof value === 'string') validateString(schema, value, path, errors);
    else if (typeof value === 'number' || typeof value === 'bigint') validateNumber(schema, value, path, errors);
    else if (Array.isArray(value)) validateItems(schema, value, path, errors);
  }
  if (schema.enum !== undefined && !schema.enum.some((allowed) => equalJson(allowed, value))) {
    if (value !== null || schema.nullable !== true)
      addError(errors, notSupported(path, value, schema.enum.map(enumText)));
  }
  if (isJsonObject(value)) validateMembers(schema, value, path, errors);
}

function enumText(value: JsonValue): string {
  return typeof value === 'string' ? value : writeJson(value);
}

function validateType(schema: Schema, value: JsonValue, path: string, errors: FieldError[]): void {
  const types: readonly string[] = schema['x-kubernetes-int-or-string']
    ? ['integer', 'string']
    : schema.type === undefined
      ? []
      : [schema.type];
  if (types.length === 0) return;
  const actual = typeOf(value);
  const fits =
    types.includes(actual) ||
    (actual === 'integer' && types.includes('number')) ||
    (actual === 'null' && schema.nullable === true);
  if (fits) return;
  const [wanted, found] = formatMismatch(schema, actual) ?? [types.join(','), actual];
  addError(errors, typeInvalid(path, found, `${path} in body must be of type ${wanted}: "${found}"`));
}

/**
 * Returns the two formats that Go's type error contains instead of the types if the schema has a known format: the
 * expected format, and the format of the value. `undefined` if the error contains the types, for example if the value
 * is a string or a list.
 */
function formatMismatch({ type, format }: Schema, actual: string): [string, string] | undefined {
  if (
    format === undefined ||
    !isKnownFormat(type, format) ||
    actual === 'string' ||
    actual === 'array' ||
    actual === 'null'
  )
    return undefined;
  const found = actual === 'integer' ? 'int64' : actual === 'number' ? 'float64' : '';
  return found === format ? undefined : [format, found];
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  // Integers that a JavaScript number cannot represent exactly are bigint. A number that is not a safe integer is
  // therefore a fraction or a float.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function validateMembers(schema: Schema, object: JsonObject, path: string, errors: FieldError[]): void {
  const size = Object.keys(object).length;
  const { minProperties, maxProperties, properties = {}, additionalProperties } = schema;
  if (minProperties !== undefined && size < minProperties) {
    addError(errors, invalid(path, size, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && size > maxProperties) addError(errors, tooMany(path, size, maxProperties));
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(properties, name)) continue;
    if (additionalProperties === false) {
      addError(errors, invalid(path, name, `${path}.${name} in body is a forbidden property`));
    } else if (typeof additionalProperties === 'object') {
      validateValue(additionalProperties, object[name] as JsonValue, childPath(path, name), errors);
    }
  }
  for (const name of Object.keys(properties)) {
    const member = Object.hasOwn(object, name) ? object[name] : undefined;
    if (member !== undefined) validateValue(properties[name] as Schema, member, childPath(path, name), errors);
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(object, name)) addError(errors, required(childPath(path, name)));
  }
}

function validateItems(schema: Schema, items: JsonValue[], path: string, errors: FieldError[]): void {
  if (schema.items !== undefined) {
    for (const [index, item] of items.entries()) validateValue(schema.items, item, indexPath(path, index), errors);
  }
  if (schema.minItems !== undefined && items.length < schema.minItems) {
    addError(errors, invalid(path, items.length, `${path} in body should have at least ${schema.minItems} items`));
  }
  if (schema.maxItems !== undefined && items.length > schema.maxItems) {
    addError(errors, tooMany(path, items.length, schema.maxItems));
  }
  if (schema.uniqueItems === true && new Set(items.map((item) => writeJson(item))).size < items.length) {
    addError(errors, invalid(path, '', `${path} in body shouldn't contain duplicates`));
  }
}

/** Validates anyOf, oneOf, allOf and not. The errors of the closest alternative follow the error of the combination. */
function validateCombinations(schema: Schema, value: JsonValue, path: string, errors: FieldError[]): void {
  const attempt = (part: Schema) => collectAlternativeErrors((found) => validateValue(part, value, path, found));
  const complain = (text: string) => addError(errors, invalid('', '', `${JSON.stringify(path)} ${text}`));
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;

  if (anyOf.length > 0) {
    const results = anyOf.map(attempt);
    if (!results.some((found) => found.length === 0)) {
      complain('must validate at least one schema (anyOf)');
      tellAll(errors, closest(results));
    }
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(attempt);
    const valid = results.filter((found) => found.length === 0).length;
    if (valid !== 1) {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      complain(`must validate one and only one schema (oneOf). ${found}`);
      if (valid === 0) tellAll(errors, closest(results));
    }
  }
  if (allOf.length > 0) {
    const results = allOf.map(attempt);
    const valid = results.filter((found) => found.length === 0).length;
    tellAll(errors, results.flat());
    if (valid < allOf.length) {
      complain(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
    }
  }
  if (not !== undefined && attempt(not).length === 0) complain('must not validate the schema (not)');
}

function tellAll(errors: FieldError[], found: readonly FieldError[]): void {
  for (const error of found) addError(errors, error);
}

function closest(results: FieldError[][]): FieldError[] {
  return results.reduce((best, found) => (found.length < best.length ? found : best));
}
