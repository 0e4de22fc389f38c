import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { describeFieldError, invalid } from '../field-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { hasEmbeddedResources } from '../schema/has-embedded-resources.ts';
import { memberSchema } from '../schema/member-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { DecodeError } from './decode-error.ts';
import { type NormalizedMetadata, normalizeMetadata } from './normalize-metadata.ts';

/**
 * Normalizes the metadata of all embedded resources inside `value`, in place. Returns the paths of dropped members.
 * Does not handle the metadata of `value` itself.
 */
export function normalizeEmbeddedResources(schema: Schema, value: JsonValue, path = ''): string[] {
  return hasEmbeddedResources(schema) ? normalizeBelow(schema, value, path) : [];
}

function normalizeBelow(schema: Schema, value: JsonValue, path: string): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => normalizeBelow(items, item, indexPath(path, index)));
  }
  if (!isJsonObject(value)) return [];
  const unknown: string[] = [];
  if (schema['x-kubernetes-embedded-resource'] === true && isJsonObject(value.metadata)) {
    const shaped = normalizeOne(value.metadata, childPath(path, 'metadata'));
    value.metadata = shaped.metadata;
    unknown.push(...shaped.unknown);
  }
  for (const name of Object.keys(value)) {
    const member = memberSchema(schema, name);
    if (member !== undefined) unknown.push(...normalizeBelow(member, value[name] ?? null, childPath(path, name)));
  }
  return unknown;
}

/** Normalizes the metadata of one embedded resource. Adds the path of the resource to errors. */
function normalizeOne(metadata: JsonObject, path: string): NormalizedMetadata {
  try {
    return normalizeMetadata(metadata, path);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(describeFieldError(invalid(path, metadata, error.message)));
  }
}
