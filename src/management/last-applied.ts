import type { KubeObject } from '../api/meta.ts';
import { parseJson } from '../lib/json-parse.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * `kubectl apply` writes the whole manifest into an annotation. What must not be kept is cut out of it there; a text
 * that cannot be read is dropped whole, as nobody could say what is in it.
 */
export function cutFromLastApplied(object: KubeObject, paths: readonly (readonly string[])[]): void {
  const annotations = object.metadata.annotations;
  const text = annotations?.[annotation];
  if (text === undefined) return;
  const kept = cut(text, paths);
  if (kept === text) return;
  const next = { ...annotations };
  if (kept === undefined) delete next[annotation];
  else next[annotation] = kept;
  object.metadata = { ...object.metadata, annotations: next };
}

function cut(text: string, paths: readonly (readonly string[])[]): string | undefined {
  const document = readOnce(text);
  if (document === undefined) return undefined;
  let touched = false;
  for (const path of paths) touched = remove(document, path) || touched;
  return touched ? `${writeJson(document)}\n` : text;
}

/** undefined: no manifest, or one in which a member stands twice, of which the parser kept only the last. */
function readOnce(text: string): JsonObject | undefined {
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
