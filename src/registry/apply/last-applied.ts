import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { compareTyped } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { goJson } from './path-element.ts';
import { shapeOf } from './shape.ts';
import type { TrackedKind } from './tracked-fields.ts';
import { fieldsOf } from './typed.ts';
import { typedProblems } from './typed-problems.ts';

/** The only manager for which client-side apply is migrated (rule SSA-35). */
export const kubectlManager = 'kubectl';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The limit for the keys and values of all annotations of an object (rule META-09). */
const maxAnnotationBytes = 262_144;

/**
 * The fields that client-side apply set and that still have those values. kubectl owned them in effect, so its
 * server-side apply may take them over. `undefined` if the object has no usable annotation.
 */
export function fieldsLastApplied(kind: TrackedKind, live: KubeObject): FieldSet | undefined {
  const applied = parseOrUndefined(live.metadata.annotations?.[annotation] ?? '');
  const shape = shapeOf(kind);
  if (!isJsonObject(applied) || applied.apiVersion !== apiVersionOf(kind)) return undefined;
  if (typedProblems(shape, applied).length > 0 || typedProblems(shape, live as JsonObject).length > 0) return undefined;
  const { added, modified, removed } = compareTyped(shape, applied, live as JsonObject);
  return fieldsOf(shape, applied).difference(modified).difference(added).difference(removed);
}

function parseOrUndefined(text: string): JsonValue | undefined {
  try {
    return parseJson(text).value;
  } catch {
    return undefined;
  }
}

/**
 * Updates the annotation, if the object still has it, to what was applied now, so that a later client-side apply starts
 * from there. If the annotations become too long, the annotation is removed.
 */
export function refreshLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const { [annotation]: old, ...others } = object.metadata.annotations ?? {};
  if (old === undefined || old === '') return object;
  const annotations: Record<string, string> = { ...others, [annotation]: lastAppliedText(applied, kindIn(old)) };
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  const metadata = { ...object.metadata, annotations: bytes > maxAnnotationBytes ? others : annotations };
  return { ...object, metadata } as KubeObject;
}

/**
 * The kind by which the client knows the object: some objects are served under another kind than they are stored as.
 */
function kindIn(text: string): string | undefined {
  const written = parseOrUndefined(text);
  return isJsonObject(written) && typeof written.kind === 'string' ? written.kind : undefined;
}

/** JSON with a trailing newline, as kubectl writes it. */
function lastAppliedText(applied: KubeObject, kind: string = applied.kind): string {
  const { annotations: sent, ...metadata } = applied.metadata as JsonObject;
  if (isJsonObject(sent)) {
    const { [annotation]: _, ...annotations } = sent;
    metadata.annotations = annotations;
  }
  return `${goJson({ ...(applied as JsonObject), kind, metadata })}\n`;
}
