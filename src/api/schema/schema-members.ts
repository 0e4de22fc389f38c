import type { Schema } from './schema.ts';

/** The schema of a named member: its own, or that of all the members of a map. Undefined: nothing is known of it. */
export function memberSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
