import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@flotilla/json';
import { apiVersionOf, byteLength } from '@flotilla/kubernetes-formats';
import type { FieldSet } from './field-set/field-set.ts';
import { goJson } from './field-set/path-element.ts';
import type { TrackedKind } from './tracked-kind.ts';
import type { TrackedObject } from './tracked-object.ts';
import { compareTyped } from './typed/compare.ts';
import { shapeOf } from './typed/shape.ts';
import { fieldsOf } from './typed/typed.ts';
import { typedProblems } from './typed/typed-problems.ts';

/** The name of the only manager whose client-side apply is migrated to server-side apply (rule SSA-35). */
export const kubectlManager = 'kubectl';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The maximum size of all annotations of an object, keys and values together (rule META-09). */
const maxAnnotationBytes = 262_144;

/**
 * Returns the fields that client-side apply has set and whose values have not changed since then. In effect kubectl
 * owns these fields, so server-side apply by kubectl may take them over. `undefined` if the object has no usable
 * last-applied annotation.
 */
export function fieldsLastApplied(kind: TrackedKind, live: TrackedObject): FieldSet | undefined {
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
 * Updates the last-applied annotation, if the object has one, to the applied configuration. A later client-side apply
 * then compares with this configuration. Removes the annotation if the annotations would become too large.
 */
export function refreshLastApplied(object: TrackedObject, applied: TrackedObject): TrackedObject {
  const { [annotation]: old, ...others } = object.metadata.annotations ?? {};
  if (old === undefined || old === '') return object;
  const annotations: Record<string, string> = { ...others, [annotation]: lastAppliedText(applied, kindIn(old)) };
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  const metadata = { ...object.metadata, annotations: bytes > maxAnnotationBytes ? others : annotations };
  return { ...object, metadata } as TrackedObject;
}

/**
 * Returns the kind in the last-applied annotation. The client chooses this kind, and it can differ from the stored
 * kind.
 */
function kindIn(text: string): string | undefined {
  const written = parseOrUndefined(text);
  return isJsonObject(written) && typeof written.kind === 'string' ? written.kind : undefined;
}

/** Returns the value of the annotation: JSON with a trailing newline, as kubectl writes it. */
function lastAppliedText(applied: TrackedObject, kind: string = applied.kind): string {
  const { annotations: sent, ...metadata } = applied.metadata as JsonObject;
  if (isJsonObject(sent)) {
    const { [annotation]: _, ...annotations } = sent;
    metadata.annotations = annotations;
  }
  return `${goJson({ ...(applied as JsonObject), kind, metadata })}\n`;
}
