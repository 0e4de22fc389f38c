import { isJsonObject, type JsonValue } from '../../../src/lib/json-value.ts';
import type { Steps } from './field-steps.ts';
import { isIntOrString, type OpenApiSchema, type SchemaTree } from './schema-tree.ts';

export interface SchemaFault {
  readonly steps: Steps;
  readonly message: string;
}

/** The maximum number of reported problems. */
const maxFaults = 50;

/**
 * Returns what a schema certainly forbids in a value. The server checks everything else in its dry run.
 */
export function schemaFaults(value: JsonValue, tree: SchemaTree): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  check(value, tree.root, [], tree, faults);
  return faults.slice(0, maxFaults);
}

function check(value: JsonValue, schema: OpenApiSchema, steps: Steps, tree: SchemaTree, faults: SchemaFault[]): void {
  if (faults.length >= maxFaults || value === null) return;
  const wrong = typeFault(value, schema);
  if (wrong !== undefined) {
    faults.push({ steps, message: wrong });
    return;
  }
  if (schema.enum !== undefined && typeof value !== 'object' && !schema.enum.map(String).includes(String(value))) {
    faults.push({ steps, message: `Must be one of ${schema.enum.map(String).join(', ')}.` });
  }
  if (Array.isArray(value)) {
    const item = tree.item(schema);
    if (item === undefined) return;
    for (const [at, each] of value.entries()) check(each, item, [...steps, at], tree, faults);
  } else if (isJsonObject(value)) {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name)) faults.push({ steps, message: `Missing required field ${name}.` });
    }
    for (const [name, each] of Object.entries(value)) {
      const member = tree.member(schema, name);
      if (member !== undefined) check(each, member, [...steps, name], tree, faults);
      else if (isClosed(schema)) faults.push({ steps: [...steps, name], message: `Unknown field ${name}.` });
    }
  }
}

function isClosed(schema: OpenApiSchema): boolean {
  return (
    schema.properties !== undefined &&
    (schema.additionalProperties === undefined || schema.additionalProperties === false) &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true &&
    schema.oneOf === undefined &&
    schema.anyOf === undefined
  );
}

function typeFault(value: JsonValue, schema: OpenApiSchema): string | undefined {
  if (isIntOrString(schema)) {
    return typeof value === 'object' || typeof value === 'boolean' ? 'Must be a number or a string.' : undefined;
  }
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? undefined : 'Must be a string; put it in quotes.';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Must be true or false.';
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value) ? undefined : 'Must be an integer.';
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number' ? undefined : 'Must be a number.';
    case 'array':
      return Array.isArray(value) ? undefined : 'Must be a list; start each item with "- ".';
    case 'object':
      return isJsonObject(value) ? undefined : 'Must be an object; indent its fields.';
    default:
      return undefined;
  }
}
