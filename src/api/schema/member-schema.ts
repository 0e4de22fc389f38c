import type { Schema } from './schema.ts';

/** Returns the schema of a member: its property, or the schema of all map values. `undefined` if there is none. */
export function memberSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
