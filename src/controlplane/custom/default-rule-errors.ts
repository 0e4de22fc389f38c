import { cloneJson, type JsonValue } from '@flotilla/json';
import type { FieldError } from '../../api/field-error.ts';
import { childPath, keyPath } from '../../api/schema/field-path.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { compileValidations, hasRules } from '../validation-rules/compile-validations.ts';

/**
 * Evaluates the CEL rules of a schema for the schema's default values. Each default is checked twice: as the value in a
 * create, and as both the old and the new value in an update.
 */
export async function defaultRuleErrors(schema: Schema, path: string): Promise<FieldError[]> {
  const errors =
    schema.default === undefined ? [] : await ownErrors(schema, schema.default, childPath(path, 'default'));
  if (schema.items !== undefined) errors.push(...(await defaultRuleErrors(schema.items, childPath(path, 'items'))));
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    errors.push(...(await defaultRuleErrors(member, keyPath(childPath(path, 'properties'), name))));
  }
  return errors;
}

async function ownErrors(schema: Schema, value: JsonValue, path: string): Promise<FieldError[]> {
  if (!hasRules(schema)) return [];
  const { validator } = await compileValidations(schema);
  if (validator === undefined) return [];
  const updateErrors = await validator.validate(cloneJson(value), { old: cloneJson(value) });
  const found = updateErrors.length > 0 ? updateErrors : await validator.validate(cloneJson(value));
  return found.map((error) => ({ ...error, field: error.field === '' ? path : childPath(path, error.field) }));
}
