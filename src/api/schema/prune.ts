import { fastPathsEnabled } from '@flotilla/fast-paths';
import { isJsonObject, type JsonObject, type JsonValue, sortByBytes } from '@flotilla/json';
import { childPath, indexPath } from './field-path.ts';
import { memberSchema } from './member-schema.ts';
import type { Schema } from './schema.ts';

/** Members that a resource can always have, at the root and in embedded resources, even if the schema omits them. */
const resourceMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

export interface PruneOptions {
  /** True if the value is a resource, whose apiVersion, kind and metadata are always kept. */
  readonly isResource?: boolean;
}

/**
 * Removes all members that the schema does not define, in place, and returns their paths, sorted. With
 * `x-kubernetes-preserve-unknown-fields`, unknown members are kept, but the contents of known members are still pruned.
 */
export function prune(schema: Schema, value: JsonValue, options: PruneOptions = {}): string[] {
  if (fastPathsEnabled() && isPruned(schema, value, options.isResource === true)) return [];
  const removed: string[] = [];
  const root = options.isResource ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  pruneValue(root, value, '', removed);
  return sortByBytes(removed);
}

/**
 * Fast path: true if there is nothing to remove, which is the usual case. If false, there may be something to remove.
 * For example, the result is false for some lists, because the fast path does not support their schemas.
 */
function isPruned(schema: Schema, value: JsonValue, isResource: boolean): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (keepsUnknown || items === undefined) return keepsUnknown && items === undefined;
    const areResources = items['x-kubernetes-embedded-resource'] === true;
    for (const item of value) if (!isPruned(items, item, areResources)) return false;
    return true;
  }
  for (const name in value) {
    if (isResource && resourceMembers.has(name)) continue;
    const member = memberSchema(schema, name);
    if (member === undefined) {
      if (schema.additionalProperties !== true && !keepsUnknown) return false;
    } else if (!isPruned(member, value[name] as JsonValue, member['x-kubernetes-embedded-resource'] === true)) {
      return false;
    }
  }
  return true;
}

function pruneValue(schema: Schema, value: JsonValue, path: string, removed: string[]): void {
  if (Array.isArray(value)) pruneItems(schema, value, path, removed);
  else if (isJsonObject(value)) pruneMembers(schema, value, path, removed);
}

function pruneMembers(schema: Schema, object: JsonObject, path: string, removed: string[]): void {
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  for (const name of Object.keys(object)) {
    if (isResource && resourceMembers.has(name)) continue;
    const member = memberSchema(schema, name);
    if (member !== undefined) {
      pruneValue(member, object[name] as JsonValue, childPath(path, name), removed);
    } else if (schema.additionalProperties !== true && !keepsUnknown) {
      removed.push(childPath(path, name));
      delete object[name];
    }
  }
}

/** Prunes the items of a list. If the items have no schema, either everything is kept or all members are removed. */
function pruneItems(schema: Schema, items: JsonValue[], path: string, removed: string[]): void {
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (keepsUnknown && schema.items === undefined) return;
  const itemSchema: Schema = schema.items ?? {};
  const kept: Schema = keepsUnknown ? { ...itemSchema, 'x-kubernetes-preserve-unknown-fields': true } : itemSchema;
  for (const [index, item] of items.entries()) pruneValue(kept, item, indexPath(path, index), removed);
}
