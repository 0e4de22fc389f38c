import { isJsonObject, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { duplicate, type FieldError, invalid } from '../field-error.ts';
import { childPath, indexPath, keyPath } from './field-path.ts';
import type { Schema } from './schema.ts';
import { addError } from './validation-budget.ts';

/**
 * Reports duplicate items in lists of type `set` and duplicate keys in lists of type `map`. Server-side apply requires
 * unique items and keys.
 */
export function validateListTypes(schema: Schema, value: JsonValue, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    validateList(schema, value, path, errors);
    if (schema.items === undefined) return;
    for (const [index, item] of value.entries()) {
      validateListTypes(schema.items, item, indexPath(path, index), errors);
    }
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) {
        validateListTypes(schema.properties[name] as Schema, member, childPath(path, name), errors);
      } else if (typeof schema.additionalProperties === 'object') {
        validateListTypes(schema.additionalProperties, member, keyPath(path, name), errors);
      }
    }
  }
}

function validateList(schema: Schema, items: JsonValue[], path: string, errors: FieldError[]): void {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') {
    reportRepeated(items, path, errors);
  } else if (type === 'map') {
    const odd = items.findIndex((item) => item !== null && !isJsonObject(item));
    if (odd >= 0) {
      const detail = 'must be an object for an array of list-type map';
      addError(errors, invalid(indexPath(path, odd), items[odd], detail));
      return;
    }
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    reportRepeated(
      items.map((item) => keyOf(item, keys)),
      path,
      errors,
    );
  }
}

function keyOf(item: JsonValue, keys: readonly string[]): JsonObject {
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key] as JsonValue]));
}

/** Reports only the second occurrence of each repeated item. */
function reportRepeated(items: JsonValue[], path: string, errors: FieldError[]): void {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = writeJson(item);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) addError(errors, duplicate(indexPath(path, index), item));
  }
}
