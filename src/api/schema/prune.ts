import { sortBytes } from '../../lib/json-order.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { childPath, indexPath } from './field-path.ts';
import type { Schema } from './schema.ts';
import { memberSchema } from './schema-members.ts';

/** What a resource has besides its schema, at its root and wherever one is embedded. */
const resourceMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

export interface PruneOptions {
  /** The value is a whole resource: apiVersion, kind and metadata stay whatever the schema says. */
  readonly isResource?: boolean;
}

/**
 * Removes, in place, every member that the schema does not know, and gives the paths of what went, sorted. Below
 * `x-kubernetes-preserve-unknown-fields` unknown members stay; known ones are still looked into.
 */
export function prune(schema: Schema, value: JsonValue, options: PruneOptions = {}): string[] {
  if (isPruned(schema, value, options.isResource === true)) return [];
  const removed: string[] = [];
  const root = options.isResource ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  pruneValue(root, value, '', removed);
  return sortBytes(removed);
}

/** Nearly always nothing has to go; to see that takes no paths. False: it is not known, as with lists of the rarer kind. */
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

/** Items without a schema are what the list itself is: all kept, or all of their members unknown. */
function pruneItems(schema: Schema, items: JsonValue[], path: string, removed: string[]): void {
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (keepsUnknown && schema.items === undefined) return;
  const itemSchema: Schema = schema.items ?? {};
  const kept: Schema = keepsUnknown ? { ...itemSchema, 'x-kubernetes-preserve-unknown-fields': true } : itemSchema;
  for (const [index, item] of items.entries()) pruneValue(kept, item, indexPath(path, index), removed);
}
