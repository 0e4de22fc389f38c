import type { Schema } from './schema.ts';

const cache = new WeakMap<Schema, boolean>();

/**
 * True if objects of this schema can contain embedded resources. For most kinds this is false, so their objects are not
 * searched.
 */
export function hasEmbeddedResources(schema: Schema): boolean {
  const found = cache.get(schema);
  if (found !== undefined) return found;
  const { properties = {}, items, additionalProperties } = schema;
  const holds =
    schema['x-kubernetes-embedded-resource'] === true ||
    Object.values(properties).some(hasEmbeddedResources) ||
    (items !== undefined && hasEmbeddedResources(items)) ||
    (typeof additionalProperties === 'object' && hasEmbeddedResources(additionalProperties));
  cache.set(schema, holds);
  return holds;
}
