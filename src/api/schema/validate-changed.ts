import { equalJson, isJsonObject, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import type { FieldError } from '../field-error.ts';
import { childPath, indexPath } from './field-path.ts';
import { validateListTypes } from './list-type.ts';
import { memberSchema } from './member-schema.ts';
import type { Schema } from './schema.ts';
import { collectValueErrors, validateSchema } from './validate.ts';
import { withValidationBudget } from './validation-budget.ts';

/**
 * Validates the new value in an update. Parts that are equal to the old value are not reported (META-23), because the
 * schema may have become stricter after the old value was written. Object members are compared by name and items of
 * `map` lists by their keys. Other lists are compared as a whole.
 */
export function validateChanged(
  schema: Schema,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
): readonly FieldError[] {
  const errors = validateSchema(schema, value, path, old);
  if (errors.length === 0 || old === undefined) return errors;
  return withValidationBudget(path, () => {
    const faults = new ChangedFaults();
    faults.collect(schema, value, old, path);
    const { found } = faults;
    // Report no duplicates if the old list already had duplicates, because it is then unknown which item is new.
    if (listFaults(schema, old, path).length === 0) found.push(...listFaults(schema, value, path));
    return found;
  });
}

function listFaults(schema: Schema, value: JsonValue, path: string): FieldError[] {
  const errors: FieldError[] = [];
  validateListTypes(schema, value, path, errors);
  return errors;
}

class ChangedFaults {
  readonly found: FieldError[] = [];

  /** Collects the errors of the value itself first, and then those of its members or items. */
  collect(schema: Schema, value: JsonValue, old: JsonValue | undefined, path: string): void {
    if (old === undefined) {
      this.found.push(...collectValueErrors(schema, value, path));
      return;
    }
    if (equalJson(value, old)) return;
    if (isJsonObject(value) && isJsonObject(old)) {
      this.found.push(...collectValueErrors(shallow(schema, value), value, path));
      for (const name of Object.keys(value)) {
        const member = memberSchema(schema, name);
        const before = Object.hasOwn(old, name) ? old[name] : undefined;
        if (member !== undefined) this.collect(member, value[name] as JsonValue, before, childPath(path, name));
      }
    } else if (Array.isArray(value) && Array.isArray(old) && schema['x-kubernetes-list-type'] === 'map') {
      const { items = {}, ...own } = schema;
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      const before = new Map(old.map((item) => [keyOf(item, keys), item]));
      this.found.push(...collectValueErrors(own, value, path));
      value.forEach((item, index) => {
        this.collect(items, item, before.get(keyOf(item, keys)), indexPath(path, index));
      });
    } else {
      this.found.push(...collectValueErrors(schema, value, path));
    }
  }
}

/** Returns the schema without the rules for the members of `value`, because each member is validated separately. */
function shallow(schema: Schema, value: JsonObject): Schema {
  const { properties = {}, additionalProperties, ...own } = schema;
  const anything = Object.fromEntries(
    Object.keys(value)
      .filter((name) => memberSchema({ properties, ...(additionalProperties ? { additionalProperties } : {}) }, name))
      .map((name) => [name, {}]),
  );
  return { ...own, properties: anything, ...(additionalProperties === false ? { additionalProperties } : {}) };
}

function keyOf(item: JsonValue, keys: readonly string[]): string {
  if (!isJsonObject(item)) return writeJson(item);
  return writeJson(keys.map((key) => (Object.hasOwn(item, key) ? (item[key] as JsonValue) : null)));
}
