import { isJsonObject, type JsonObject, type JsonValue, parseJson, writeJson } from '@flotilla/json';
import type { KubeObject } from '../api/meta.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Removes secret fields from the annotation in which `kubectl apply` stores the whole manifest. If the annotation
 * cannot be parsed, it is removed, because it may contain secret fields.
 */
export function redactLastApplied(object: KubeObject, paths: readonly (readonly string[])[]): void {
  const annotations = object.metadata.annotations;
  const text = annotations?.[annotation];
  if (text === undefined) return;
  const redacted = redact(text, paths);
  if (redacted === text) return;
  const next = { ...annotations };
  if (redacted === undefined) delete next[annotation];
  else next[annotation] = redacted;
  object.metadata = { ...object.metadata, annotations: next };
}

function redact(text: string, paths: readonly (readonly string[])[]): string | undefined {
  const document = parseManifest(text);
  if (document === undefined) return undefined;
  let changed = false;
  for (const path of paths) changed = remove(document, path) || changed;
  return changed ? `${writeJson(document)}\n` : text;
}

/**
 * Parses a manifest. `undefined` if the manifest is invalid or has duplicate members. The parser returns only the last
 * one of duplicate members, so a secret in an earlier one would not be found.
 */
function parseManifest(text: string): JsonObject | undefined {
  try {
    const { value, duplicates } = parseJson(text);
    return isJsonObject(value) && duplicates.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function remove(root: JsonValue, path: readonly string[]): boolean {
  let parent: JsonValue | undefined = root;
  for (const step of path.slice(0, -1)) {
    parent = isJsonObject(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
  }
  const last = path.at(-1);
  if (last === undefined || !isJsonObject(parent) || !Object.hasOwn(parent, last)) return false;
  delete parent[last];
  return true;
}
