import { DecodeError, goTypeOf, wrongType } from '../api/decode/decode-error.ts';
import { type FieldError, invalid } from '../api/field-error.ts';
import { apiVersionOf, type KubeObject, parseApiVersion } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import { badRequest, invalidObject } from '../api/status.ts';
import { isNestedDeeper } from '../lib/json-depth.ts';
import { getMember, isJsonObject, type JsonObject, type JsonValue } from '../lib/json-value.ts';
import type { CachedObject } from './cached-object.ts';
import type { RequestContext } from './context.ts';
import {
  applyFieldValidation,
  deepestObject,
  type ShapedObject,
  shapeMembers,
  shapeObject,
  tooDeep,
} from './decode.ts';
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
  const { object, findings } = decode(kind, document, patch.findings, current.name);
  if (options.fieldValidation === 'Strict' && findings.length > 0) {
    throw strictPatchError(kind.resource, document, findings);
  }
  applyFieldValidation(kind.resource, findings, options.fieldValidation, (text) => context.warn(text));
  return object;
}

function decode(kind: KindRuntime, document: JsonValue, findings: readonly string[], name: string): ShapedObject {
  const { resource } = kind;
  try {
    if (!isJsonObject(document)) throw notAnObject(document);
    checkType(resource, document, name);
    return shapeMembers(resource, document, { findings });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw undecodablePatch(resource, document, error.message);
  }
}

function notAnObject(value: JsonValue): DecodeError {
  return new DecodeError(`json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`);
}

/** What a patch makes another kind of object of is no fault of decoding: each member is told as the field that it is. */
function checkType(resource: ResourceKind, document: JsonObject, name: string): void {
  const sent = (member: 'apiVersion' | 'kind'): string => {
    const value = getMember(document, member) ?? '';
    if (typeof value !== 'string') throw wrongType(value, `.${member}`, 'string');
    return value;
  };
  const apiVersion = sent('apiVersion') || apiVersionOf(resource);
  const kind = sent('kind') || resource.kind;
  const errors: FieldError[] = [];
  if (kind !== resource.kind) errors.push(invalid('kind', kind, `must be ${resource.kind}`));
  if (apiVersion !== apiVersionOf(resource)) {
    errors.push(invalid('apiVersion', apiVersion, `must be ${apiVersionOf(resource)}`));
  }
  if (errors.length > 0) throw invalidObject({ group: parseApiVersion(apiVersion).group, kind }, name, errors);
}

/** Defaults and pruning after an apply has merged (DEC-23, SSA-40); what the schema lacks was refused before. */
export function decodeApplied(kind: KindRuntime, merged: KubeObject): KubeObject {
  return shapeObject(kind.resource, merged, { findings: [] }).object;
}
