import { cloneJson, equalJson, type JsonObject, type JsonValue, setMember } from '../../lib/json-value.ts';
import { DecodeError } from '../decode/decode-error.ts';
import { shapeEmbedded } from '../decode/embedded.ts';
import { describeFieldError, type FieldError, invalid } from '../field-error.ts';
import { childPath, keyPath } from '../schema/field-path.ts';
import { prune } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { findFaults } from '../schema/validate.ts';
import { withinLimits } from '../schema/validation-work.ts';
import { validateEmbedded } from '../validation/embedded-resources.ts';
import { itemsOf, type SchemaProps } from './definition.ts';

/** The resource that a schema belongs to, and how a value at its place is put into one. */
interface Surroundings {
  readonly resource: SchemaProps;
  readonly inMetadata: boolean;
  surround(value: JsonValue): JsonValue;
}

/** Defaults are values like any other: valid, without unknown members. */
export function defaultErrors(schema: SchemaProps, path: string): FieldError[] {
  const resource: SchemaProps = { ...schema, 'x-kubernetes-embedded-resource': true };
  return withinLimits(path, () => errorsOf(resource, path, outermost(schema)));
}

function outermost(resource: SchemaProps): Surroundings {
  const surround = (value: JsonValue): JsonValue => ({
    ...(value as JsonObject),
    apiVersion: (value as JsonObject).apiVersion ?? 'validation/v1',
    kind: (value as JsonObject).kind ?? 'Validation',
  });
  return { resource: { ...resource, 'x-kubernetes-embedded-resource': true }, inMetadata: false, surround };
}

function errorsOf(schema: SchemaProps, path: string, given: Surroundings): FieldError[] {
  const around = schema['x-kubernetes-embedded-resource'] === true ? outermost(schema) : given;
  const errors = schema.default === undefined ? [] : ownErrors(schema, schema.default, path, around);
  const items = itemsOf(schema);
  if (items !== undefined) {
    const inside = { ...around, surround: (value: JsonValue) => around.surround([value]) };
    errors.push(...errorsOf(items, childPath(path, 'items'), inside));
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const isMeta = name === 'metadata' || name === 'apiVersion' || name === 'kind';
    const inside: Surroundings = {
      ...around,
      inMetadata: around.inMetadata || (schema['x-kubernetes-embedded-resource'] === true && isMeta),
      surround(value) {
        const object: JsonObject = {};
        setMember(object, name, value);
        return around.surround(object);
      },
    };
    errors.push(...errorsOf(member, keyPath(childPath(path, 'properties'), name), inside));
  }
  return errors;
}

function ownErrors(schema: SchemaProps, value: JsonValue, path: string, around: Surroundings): FieldError[] {
  const field = childPath(path, 'default');
  const errors: FieldError[] = [];
  if (around.inMetadata) {
    const fault = metadataFault(around.resource as Schema, around.surround(cloneJson(value)));
    if (fault !== undefined) return [invalid(field, value, `must result in valid metadata: ${fault}`)];
  } else {
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    const pruned = cloneJson(value);
    prune(schema as Schema, pruned, { isResource });
    if (!equalJson(pruned, value)) errors.push(invalid(field, value, 'must not have unknown fields'));
    try {
      shapeEmbedded(schema as Schema, cloneJson(value), field);
    } catch (error) {
      if (error instanceof DecodeError) return [...errors, invalid(field, value, error.message)];
      throw error;
    }
    const embedded = validateEmbedded(schema as Schema, value, field);
    if (embedded.length > 0) return [...errors, ...embedded];
  }
  return [...errors, ...placed(findFaults(schema as Schema, value, ''), field)];
}

/** Messages name the place inside the value, fields the place in the definition. */
function placed(errors: readonly FieldError[], field: string): FieldError[] {
  return errors.map((error) => ({ ...error, field: childPath(field, error.field).replace(/\.$/, '') }));
}

function metadataFault(resource: Schema, object: JsonValue): string | undefined {
  try {
    shapeEmbedded(resource, object);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  const errors = validateEmbedded(resource, object).map(describeFieldError);
  if (errors.length === 0) return undefined;
  return errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`;
}
