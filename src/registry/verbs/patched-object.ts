import { printGo } from '@flotilla/go-text';
import { getMember, isJsonObject, isNestedDeeper, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { DecodeError, goDecoderTypeName, wrongTypeError } from '../../api/decode/decode-error.ts';
import { checkDocumentSize } from '../../api/decode/document-size.ts';
import { type FieldError, invalid } from '../../api/field-error.ts';
import { apiVersionOf, type KubeObject, parseApiVersion } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { badRequest, invalidObject, type StatusError } from '../../api/status.ts';
import { goStructOf } from '../../api/structs/kind-structs.ts';
import { toPrintedForm } from '../../api/structs/printed-form.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicPatch } from '../patch/strategic-patch.ts';
import { findStructProblem } from '../patch/struct-problem.ts';
import { strictPatchError, undecodablePatch } from '../patch/undecodable-patch.ts';
import type { Patch, PatchOptions } from '../verbs.ts';
import {
  applyFieldValidation,
  type DecodeResult,
  decodeDocument,
  decodeDocumentMembers,
  maxObjectDepth,
  tooDeepMessage,
} from '../write/decode.ts';
import type { VerbContext } from './verb-context.ts';

/** Applies a JSON, merge or strategic patch and decodes the result like a request body (rules PATCH-11, DEC-15). */
export function patchedObject(
  { kind, context }: VerbContext,
  current: CachedObject,
  patch: Exclude<Patch, { type: 'apply' }>,
  options: PatchOptions,
): KubeObject {
  const { object } = current.served;
  const base = kind.resource.builtIn === true ? toPrintedForm(object) : object;
  if (patch.type !== 'json' && isNestedDeeper(patch.document, maxObjectDepth)) {
    throw badRequest(`error decoding patch: ${tooDeepMessage}`);
  }
  const document = patchedDocument(kind, base, patch);
  checkPatchedSize(document);
  /**
   * The text that errors quote: the patch itself for a strategic merge patch, the patched document for other patch
   * types.
   */
  const quoted = () => (patch.type === 'strategic' ? printGo(patch.document) : writeJson(document));
  const { object: patched, findings } = rewordDecodeError(
    () => decode(kind, document, patch, current),
    (message) => undecodablePatch(kind.resource, quoted(), message),
  );
  if (options.fieldValidation === 'Strict' && findings.length > 0) {
    throw strictPatchError(kind.resource, quoted(), findings);
  }
  applyFieldValidation(kind.resource, findings, options.fieldValidation, (text) => context.warn(text));
  return patched;
}

/** Throws 413 if a patch makes an object too large. managedFields do not count, because the server writes them. */
function checkPatchedSize(document: JsonValue): void {
  const metadata = isJsonObject(document) ? getMember(document, 'metadata') : undefined;
  if (isJsonObject(document) && isJsonObject(metadata)) {
    const { managedFields: _, ...others } = metadata;
    checkDocumentSize({ ...document, metadata: others });
  } else checkDocumentSize(document);
}

type DocumentPatch = Exclude<Patch, { type: 'apply' }>;

function patchedDocument({ resource }: KindRuntime, base: KubeObject, patch: DocumentPatch): JsonValue {
  if (patch.type === 'json') return applyJsonPatch(base, patch.operations);
  if (patch.type === 'merge') return applyMergePatch(base, patch.document);
  return applyStrategicPatch(resource, base, patch.document);
}

function decode(kind: KindRuntime, document: JsonValue, patch: DocumentPatch, current: CachedObject): DecodeResult {
  const { resource } = kind;
  const { form } = resource;
  const base = current.object;
  if (!isJsonObject(document)) throw notAnObject(document);
  if (patch.type === 'strategic') checkStruct(resource, document);
  checkType(resource, document, current.name);
  const defaultedBase = form !== undefined && current.isStoredIn(form) ? base : undefined;
  return decodeDocumentMembers(resource, document, { findings: patch.findings, base, defaultedBase });
}

function rewordDecodeError<T>(decoding: () => T, reword: (message: string) => StatusError): T {
  try {
    return decoding();
  } catch (error) {
    throw error instanceof DecodeError ? reword(error.message) : error;
  }
}

function checkStruct(resource: ResourceKind, document: JsonObject): void {
  const struct = goStructOf(apiVersionOf(resource), resource.kind);
  const problem = struct === undefined ? undefined : findStructProblem(struct, document);
  if (problem !== undefined) throw new DecodeError(problem);
}

function notAnObject(value: JsonValue): DecodeError {
  return new DecodeError(
    `json: cannot unmarshal ${goDecoderTypeName(value)} into Go value of type map[string]interface {}`,
  );
}

/** Throws 422 if the patch changed kind or apiVersion. */
function checkType(resource: ResourceKind, document: JsonObject, name: string): void {
  const sent = (member: 'apiVersion' | 'kind'): string => {
    const value = getMember(document, member) ?? '';
    if (typeof value !== 'string') throw wrongTypeError(value, `.${member}`, 'string');
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

/** Prunes the result of an apply and applies defaults (DEC-23, SSA-40). Apply already rejected unknown fields. */
export function decodeApplied({ resource }: { readonly resource: ResourceKind }, merged: KubeObject): KubeObject {
  if (resource.builtIn !== true) return decodeDocument(resource, merged, { findings: [] }).object;
  try {
    return decodeDocumentMembers(resource, merged as JsonObject, { findings: [] }).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const { namespace = '', name = '' } = merged.metadata;
    const type = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
    const detail = `unable to convert unstructured object to ${type}: ${error.message}`;
    throw badRequest(`failed to convert new object (${namespace}/${name}; ${type}) to proper version: ${detail}`);
  }
}
