import type { Schema } from './schema.ts';

const known = new WeakMap<Schema, boolean>();

/** Whether objects of this schema may hold whole resources. Most kinds hold none, and are not searched for any. */
export function holdsResources(schema: Schema): boolean {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const { properties = {}, items, additionalProperties } = schema;
  const holds =
    schema['x-kubernetes-embedded-resource'] === true ||
    Object.values(properties).some(holdsResources) ||
    (items !== undefined && holdsResources(items)) ||
    (typeof additionalProperties === 'object' && holdsResources(additionalProperties));
  known.set(schema, holds);
  return holds;
}
