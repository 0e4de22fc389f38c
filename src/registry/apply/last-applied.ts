import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { parseJson } from '../../lib/json-parse.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { compareTyped } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { goJson } from './path-element.ts';
import { shapeOf } from './shape.ts';
import type { TrackedKind } from './tracked-fields.ts';
import { fieldsOf } from './typed.ts';
import { typedProblems } from './typed-problems.ts';

/** The only manager that client-side apply is migrated for (rule SSA-35). */
export const kubectlManager = 'kubectl';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** All annotations of an object together, keys and values (rule META-09). */
const maxAnnotationBytes = 262_144;

/**
 * The fields that client-side apply set and that still stand as it set them: kubectl owned them in all but name, so
 * server-side apply by kubectl may take them. Undefined if the object bears no usable annotation.
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
 * Where the object still bears the annotation, brings it up to date with what was applied now, so that a later
 * client-side apply starts from there. Too long for an object: the annotation goes.
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

/** The kind that the client knows the object by: some are shown under another one than they are stored as. */
function kindIn(text: string): string | undefined {
  const written = parseOrUndefined(text);
  return isJsonObject(written) && typeof written.kind === 'string' ? written.kind : undefined;
}

/** JSON with a line break at its end, as kubectl writes it. */
function lastAppliedText(applied: KubeObject, kind: string = applied.kind): string {
  const { annotations: sent, ...metadata } = applied.metadata as JsonObject;
  if (isJsonObject(sent)) {
    const { [annotation]: _, ...annotations } = sent;
    metadata.annotations = annotations;
  }
  return `${goJson({ ...(applied as JsonObject), kind, metadata })}\n`;
}
