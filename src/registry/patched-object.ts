import type { KubeObject } from '../api/meta.ts';
import { badRequest, StatusError } from '../api/status.ts';
import { isNestedDeeper } from '../lib/json-depth.ts';
import type { JsonValue } from '../lib/json-value.ts';
import type { CachedObject } from './cached-object.ts';
import type { RequestContext } from './context.ts';
import { applyFieldValidation, deepestObject, type ShapedObject, shapeObject, tooDeep } from './decode.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { applyJsonPatch } from './patch/json-patch.ts';
import { applyMergePatch } from './patch/merge-patch.ts';
import { strictPatchError, undecodablePatch } from './patch/undecodable-patch.ts';
import type { Patch, PatchOptions } from './verbs.ts';

/** The current object with a JSON patch or merge patch applied, decoded like a body (rules PATCH-11, DEC-15). */
export function patchedObject(
  kind: KindRuntime,
  context: RequestContext,
  current: CachedObject,
  patch: Exclude<Patch, { type: 'apply' }>,
  options: PatchOptions,
): KubeObject {
  const base = current.served.object;
  if (patch.type === 'merge' && isNestedDeeper(patch.document, deepestObject)) {
    throw badRequest(`error decoding patch: ${tooDeep}`);
  }
  const document =
    patch.type === 'json' ? applyJsonPatch(base, patch.operations) : applyMergePatch(base, patch.document);
  const { object, findings } = decode(kind, document, patch.findings);
  if (options.fieldValidation === 'Strict' && findings.length > 0) {
    throw strictPatchError(kind.resource, document, findings);
  }
  applyFieldValidation(kind.resource, findings, options.fieldValidation, (text) => context.warn(text));
  return object;
}

function decode(kind: KindRuntime, document: JsonValue, findings: readonly string[]): ShapedObject {
  try {
    return shapeObject(kind.resource, document, { findings });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw undecodablePatch(kind.resource, document, error.message);
  }
}

/** Defaults and pruning after an apply has merged (DEC-23, SSA-40); what the schema lacks was refused before. */
export function decodeApplied(kind: KindRuntime, merged: KubeObject): KubeObject {
  return shapeObject(kind.resource, merged, { findings: [] }).object;
}
