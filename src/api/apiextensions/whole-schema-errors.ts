import type { JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid } from '../field-error.ts';
import { childPath } from '../schema/field-path.ts';
import { defaultErrors } from './default-errors.ts';
import type { SchemaProps } from './definition.ts';
import { goStructOfSchema, invalidStruct } from './go-struct-form.ts';
import { schemaErrors } from './schema-errors.ts';
import { structuralErrors, unsupportedKeyword } from './structural.ts';

/**
 * Validates the CEL rules (`x-kubernetes-validations`) of a schema that has no other errors. `path` is the location of
 * the schema. `old` is the previous schema. Rules that are already in `old` are exempt from the cost limits.
 */
export type RuleErrors = (
  schema: SchemaProps,
  path: string,
  old: SchemaProps | undefined,
) => Promise<readonly FieldError[]>;

export interface DefinitionChecks {
  readonly ruleErrors: RuleErrors;
  /**
   * Called between the stages of a validation to let other requests run, because a schema can have ten thousand
   * members.
   */
  readonly yieldToEventLoop?: (() => Promise<void>) | undefined;
}

interface SchemaContext extends DefinitionChecks {
  /** True if the status subresource is enabled. */
  readonly hasStatus: boolean;
  /** The previous schema. `undefined` on creation. */
  readonly old: SchemaProps | undefined;
}

const allowedAtRoot = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** Returns all errors of the schema at `path` (`…validation` or `…schema`), in the order of Kubernetes. */
export async function wholeSchemaErrors(
  schema: SchemaProps,
  path: string,
  context: SchemaContext,
): Promise<FieldError[]> {
  const at = childPath(path, 'openAPIV3Schema');
  const errors = context.hasStatus ? rootErrors(schema, at) : [];
  if (schema.nullable === true) errors.push(forbiddenField(`${at}.nullable`, 'nullable cannot be true at the root'));
  const unsupported = unsupportedKeyword(schema);
  const structural = unsupported === undefined ? structuralErrors(schema, at) : [];
  await context.yieldToEventLoop?.();
  const isStructural = unsupported === undefined && structural.length === 0;
  const defaults = isStructural ? defaultErrors(schema, at) : [];
  errors.push(...structural, ...defaults);
  await context.yieldToEventLoop?.();
  const words = schemaErrors(schema, at);
  errors.push(...words);
  await context.yieldToEventLoop?.();
  if (isStructural && defaults.length === 0 && words.length === 0) {
    errors.push(...(await context.ruleErrors(schema, at, context.old)));
  }
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(at, '', unsupported));
  return errors;
}

/**
 * Validates the root of a schema with a status subresource. Only keywords that still have their effect when the status
 * is validated alone are allowed at the root.
 */
function rootErrors(schema: SchemaProps, path: string): FieldError[] {
  const form = goStructOfSchema(schema) as Record<string, JsonValue>;
  for (const [name, value] of Object.entries(form)) {
    if (value === null || value === '' || value === false) continue;
    if (name === 'Type') {
      if (schema.type === 'object') continue;
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${path}.type`, schema.type, detail)];
    }
    if (allowedAtRoot.includes(name)) continue;
    const detail = `only [${allowedAtRoot.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidStruct(path, form, detail)];
  }
  return [];
}
