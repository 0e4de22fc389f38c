import { cloneJson, equalJson, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { DecodeError } from '../decode/decode-error.ts';
import { normalizeEmbeddedResources } from '../decode/normalize-embedded-resources.ts';
import { describeFieldError, type FieldError, invalid } from '../field-error.ts';
import { childPath, keyPath } from '../schema/field-path.ts';
import { prune } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { collectErrors } from '../schema/validate.ts';
import { withValidationBudget } from '../schema/validation-budget.ts';
import { validateEmbedded } from '../validation/embedded-resources.ts';
import { itemsSchemaOf, type SchemaProps } from './definition.ts';

/**
 * The innermost resource that contains the current schema. `wrap` returns an object of that resource with the given
 * value at the position of the schema.
 */
interface SchemaContext {
  readonly resource: SchemaProps;
  readonly inMetadata: boolean;
  wrap(value: JsonValue): JsonValue;
}

/** Validates the defaults in a schema. A default must be valid and must not contain unknown members. */
export function defaultErrors(schema: SchemaProps, path: string): FieldError[] {
  const resource: SchemaProps = { ...schema, 'x-kubernetes-embedded-resource': true };
  return withValidationBudget(path, () => errorsOf(resource, path, outermost(schema)));
}

function outermost(resource: SchemaProps): SchemaContext {
  const wrap = (value: JsonValue): JsonValue => ({
    ...(value as JsonObject),
    apiVersion: (value as JsonObject).apiVersion ?? 'validation/v1',
    kind: (value as JsonObject).kind ?? 'Validation',
  });
  return { resource: { ...resource, 'x-kubernetes-embedded-resource': true }, inMetadata: false, wrap };
}

function errorsOf(schema: SchemaProps, path: string, outer: SchemaContext): FieldError[] {
  const context = schema['x-kubernetes-embedded-resource'] === true ? outermost(schema) : outer;
  const errors = schema.default === undefined ? [] : ownErrors(schema, schema.default, path, context);
  const items = itemsSchemaOf(schema);
  if (items !== undefined) {
    const inside = { ...context, wrap: (value: JsonValue) => context.wrap([value]) };
    errors.push(...errorsOf(items, childPath(path, 'items'), inside));
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const isMeta = name === 'metadata' || name === 'apiVersion' || name === 'kind';
    const inside: SchemaContext = {
      ...context,
      inMetadata: context.inMetadata || (schema['x-kubernetes-embedded-resource'] === true && isMeta),
      wrap(value) {
        const object: JsonObject = {};
        setMember(object, name, value);
        return context.wrap(object);
      },
    };
    errors.push(...errorsOf(member, keyPath(childPath(path, 'properties'), name), inside));
  }
  return errors;
}

function ownErrors(schema: SchemaProps, value: JsonValue, path: string, context: SchemaContext): FieldError[] {
  const field = childPath(path, 'default');
  const errors: FieldError[] = [];
  if (context.inMetadata) {
    const fault = metadataFault(context.resource as Schema, context.wrap(cloneJson(value)));
    if (fault !== undefined) return [invalid(field, value, `must result in valid metadata: ${fault}`)];
  } else {
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    const pruned = cloneJson(value);
    prune(schema as Schema, pruned, { isResource });
    if (!equalJson(pruned, value)) errors.push(invalid(field, value, 'must not have unknown fields'));
    try {
      normalizeEmbeddedResources(schema as Schema, cloneJson(value), field);
    } catch (error) {
      if (error instanceof DecodeError) return [...errors, invalid(field, value, error.message)];
      throw error;
    }
    const embedded = validateEmbedded(schema as Schema, value, field);
    if (embedded.length > 0) return [...errors, ...embedded];
  }
  return [...errors, ...relocate(collectErrors(schema as Schema, value, ''), field)];
}

/** Prepends the path of the default to the field of each error. Paths in messages stay relative to the default. */
function relocate(errors: readonly FieldError[], field: string): FieldError[] {
  return errors.map((error) => ({ ...error, field: childPath(field, error.field).replace(/\.$/, '') }));
}

function metadataFault(resource: Schema, object: JsonValue): string | undefined {
  try {
    normalizeEmbeddedResources(resource, object);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  const errors = validateEmbedded(resource, object).map(describeFieldError);
  if (errors.length === 0) return undefined;
  return errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`;
}
