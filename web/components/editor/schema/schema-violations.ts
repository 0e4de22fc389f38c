import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import type { FieldPath } from '../merge/field-path.ts';
import { isIntOrString, type OpenApiSchema, type SchemaTree } from './schema-tree.ts';

export interface SchemaViolation {
  readonly steps: FieldPath;
  readonly message: string;
}

/** The maximum number of violations that are reported for one object. */
const maxFaults = 50;

/** Returns the schema violations that the browser can detect with certainty. The server's dry run finds all others. */
export function schemaViolations(value: JsonValue, tree: SchemaTree): readonly SchemaViolation[] {
  const check = new SchemaCheck(tree);
  check.value(value, tree.root, []);
  return check.faults.slice(0, maxFaults);
}

class SchemaCheck {
  readonly faults: SchemaViolation[] = [];
  readonly #tree: SchemaTree;

  constructor(tree: SchemaTree) {
    this.#tree = tree;
  }

  value(value: JsonValue, schema: OpenApiSchema, steps: FieldPath): void {
    if (this.faults.length >= maxFaults || value === null) return;
    const wrong = typeFault(value, schema);
    if (wrong !== undefined) {
      this.faults.push({ steps, message: wrong });
      return;
    }
    if (schema.enum !== undefined && typeof value !== 'object' && !schema.enum.map(String).includes(String(value))) {
      this.faults.push({ steps, message: `Must be one of ${schema.enum.map(String).join(', ')}.` });
    }
    if (Array.isArray(value)) {
      const item = this.#tree.item(schema);
      if (item === undefined) return;
      for (const [at, each] of value.entries()) this.value(each, item, [...steps, at]);
    } else if (isJsonObject(value)) this.#members(value, schema, steps);
  }

  #members(object: JsonObject, schema: OpenApiSchema, steps: FieldPath): void {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(object, name)) this.faults.push({ steps, message: `Missing required field ${name}.` });
    }
    for (const [name, each] of Object.entries(object)) {
      const member = this.#tree.member(schema, name);
      if (member !== undefined) this.value(each, member, [...steps, name]);
      else if (isClosed(schema)) this.faults.push({ steps: [...steps, name], message: `Unknown field ${name}.` });
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
