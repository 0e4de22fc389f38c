import { fastPathsEnabled } from '@flotilla/fast-paths';
import {
  cloneJson,
  getMember,
  isJsonObject,
  isNestedDeeper,
  type JsonObject,
  type JsonValue,
  setMember,
} from '@flotilla/json';
import { DecodeError, goDecoderTypeName, wrongTypeError } from '../../api/decode/decode-error.ts';
import { decodeIntoGoStruct } from '../../api/decode/decode-into-go-struct.ts';
import { findingWarnings, undecodableBody } from '../../api/decode/document.ts';
import { DocumentError } from '../../api/decode/document-error.ts';
import { normalizeEmbeddedResources } from '../../api/decode/normalize-embedded-resources.ts';
import { normalizeMetadata } from '../../api/decode/normalize-metadata.ts';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { applyDefaults, DefaultsTooLargeError } from '../../api/schema/default.ts';
import { isNormalizedResource } from '../../api/schema/is-normalized-resource.ts';
import { prune } from '../../api/schema/prune.ts';
import { badRequest, requestTooLarge, type StatusError } from '../../api/status.ts';
import type { FieldValidation } from '../verbs.ts';

export interface DecodeDocumentOptions {
  /** Problems that the JSON parser found, such as duplicate fields. They precede all other findings (rule DEC-11). */
  readonly findings: readonly string[];
  /**
   * The namespace in the request path (rule CREATE-11). An object without a namespace gets this namespace. An object
   * with another namespace is rejected. The namespace of a cluster-scoped object is removed. If this option is absent,
   * the namespace stays as sent.
   */
  readonly namespace?: string;
  /** The object that a patch was applied to. Its metadata has valid types. Absent if the document was not patched. */
  readonly base?: KubeObject;
  /** The object `base`, if it was stored with the current schema and therefore needs neither pruning nor defaults. */
  readonly defaultedBase?: KubeObject | undefined;
  /** The raw request body. It is quoted in the error message for a document that is not an object. */
  readonly body?: Uint8Array;
}

/**
 * The maximum nesting depth of an object. The parser accepts documents with up to 10,000 levels (rule REQ-21), but the
 * code that processes objects is recursive and would overflow the stack. Real objects are much flatter.
 */
export const maxObjectDepth = 1_000;

export const tooDeepMessage = `exceeded max depth of ${maxObjectDepth}`;

export interface DecodeResult {
  readonly object: KubeObject;
  /** Everything that strict decoding rejects, such as `duplicate field "spec.a"` or `unknown field "spec.b"`. */
  readonly findings: string[];
}

/**
 * Decodes a parsed document into an object of the kind: checks the types of the common fields, applies defaults and
 * prunes unknown fields. The document is not changed, but the object may share parts with it, so copy the object before
 * changing anything below its root and metadata. Throws 400 if the document is not an object of this kind. Violations of
 * the schema are found later by the validation.
 */
export function decodeDocument(kind: ResourceKind, value: JsonValue, options: DecodeDocumentOptions): DecodeResult {
  if (!isJsonObject(value)) throw notAnObject(kind, value, options.body);
  checkType(kind, value, options.body);
  try {
    return decodeDocumentMembers(kind, value, options);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandledError(kind, error.message);
    throw error;
  }
}

/**
 * Decodes a document without checking kind and apiVersion, and throws DecodeError instead of an API error. For callers
 * with an error message of their own.
 */
export function decodeDocumentMembers(
  kind: ResourceKind,
  sent: JsonObject,
  options: DecodeDocumentOptions,
): DecodeResult {
  // On the fast path, an object that pruning and defaults would not change skips both steps. The plain path runs them
  // for every object, with the same result.
  const isNormalized =
    fastPathsEnabled() &&
    kind.builtIn !== true &&
    kind.normalize === undefined &&
    isNormalizedResource(kind.schema, sent, options.defaultedBase);
  if (!isNormalized && isNestedDeeper(sent, maxObjectDepth)) throw new DecodeError(tooDeepMessage);
  const { metadata, unknown } = normalizeMetadata(
    getMember(sent, 'metadata') ?? null,
    'metadata',
    options.base?.metadata,
  );
  if (options.namespace !== undefined) setNamespace(metadata, kind, options.namespace);
  const object: JsonObject = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  for (const name in sent) {
    if (name === 'apiVersion' || name === 'kind' || name === 'metadata') continue;
    const member = sent[name] as JsonValue;
    setMember(object, name, isNormalized ? member : cloneJson(member));
  }
  if (isNormalized) return { object: object as KubeObject, findings: allFindings(options, unknown) };
  const pruned = prune(kind.schema, object, { isResource: true });
  const embedded = normalizeEmbeddedResources(kind.schema, object);
  const dropped = kind.normalize?.(object) ?? [];
  const shaped = kind.builtIn === true ? decodeIntoGoStruct(kind, object) : object;
  if (kind.setDefaults === undefined) addDefaults(kind, shaped);
  else kind.setDefaults(shaped);
  const findings = allFindings(options, unknown.concat(pruned, dropped, embedded));
  return { object: shaped as KubeObject, findings };
}

/** Applies the defaults of the kind. Throws 413 if they would make the object too large. */
function addDefaults({ schema }: ResourceKind, object: JsonObject): void {
  try {
    applyDefaults(schema, object);
  } catch (error) {
    if (!(error instanceof DefaultsTooLargeError)) throw error;
    throw requestTooLarge(error.message);
  }
}

/**
 * The maximum total length of all findings, in characters. Each finding contains a path, and many findings can have the
 * same long path. Without a limit, the findings could be thousands of times as long as the document. Further findings
 * are dropped.
 */
const maxFindingCharacters = 1024 * 1024;

function allFindings({ findings }: DecodeDocumentOptions, unknown: readonly string[]): string[] {
  const all = [...findings];
  let characters = 0;
  for (const field of unknown) {
    characters += field.length;
    if (characters > maxFindingCharacters) break;
    all.push(`unknown field ${JSON.stringify(field)}`);
  }
  return all;
}

function setNamespace(metadata: KubeObject['metadata'], kind: ResourceKind, namespace: string): void {
  if (!kind.namespaced) {
    delete metadata.namespace;
  } else if (metadata.namespace === undefined) {
    if (namespace !== '') metadata.namespace = namespace;
  } else if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/**
 * Throws 400 if kind or apiVersion are not those of the endpoint (rules DEC-04, DEC-05). Both members may be missing.
 */
function checkType(kind: ResourceKind, value: JsonObject, body: Uint8Array | undefined): void {
  const sentVersion = typeMember(kind, value, 'apiVersion', body);
  const sentKind = typeMember(kind, value, 'kind', body);
  const expected = apiVersionOf(kind);
  if (sentVersion !== expected && sentVersion.split('/').length > 2) {
    throw undecodableBody(
      kind,
      body ?? new Uint8Array(),
      new DocumentError(`unexpected GroupVersion string: ${sentVersion}`),
    );
  }
  if (sentVersion !== '' && sentVersion !== expected) {
    throw badRequest(
      `the API version in the data (${sentVersion.replace(/^\//, '')}) does not match the expected API version (${expected})`,
    );
  }
  if (sentKind !== '' && sentKind !== kind.kind) {
    const detail = `no kind ${JSON.stringify(sentKind)} is registered for version ${JSON.stringify(expected)}`;
    throw badRequest(`${sentKind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${detail}`);
  }
}

function typeMember(
  kind: ResourceKind,
  value: JsonObject,
  name: 'apiVersion' | 'kind',
  body: Uint8Array | undefined,
): string {
  const member = getMember(value, name) ?? '';
  if (typeof member === 'string') return member;
  throw unrecognized(kind, wrongTypeError(member, `.${name}`, 'string').message, body);
}

const typeStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function notAnObject(kind: ResourceKind, value: JsonValue, body: Uint8Array | undefined): StatusError {
  if (value === null) {
    const text = kind.confidential === true ? '' : new TextDecoder().decode(body);
    return undecodableBody(kind, body ?? new Uint8Array(), new DocumentError(`Object 'Kind' is missing in '${text}'`));
  }
  return unrecognized(
    kind,
    `json: cannot unmarshal ${goDecoderTypeName(value)} into Go value of type ${typeStruct}`,
    body,
  );
}

function unrecognized(kind: ResourceKind, detail: string, body: Uint8Array = new Uint8Array()): StatusError {
  return undecodableBody(kind, body, new DocumentError(`couldn't get version/kind; json parse error: ${detail}`));
}

/** Returns the 400 for a body that cannot be decoded (rule DEC-02) or fails strict decoding. */
export function cannotBeHandledError(kind: Pick<ResourceKind, 'kind' | 'version'>, detail: string): StatusError {
  return badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${detail}`);
}

/** Returns the error message of strict decoding (rules DEC-09, DEC-15). */
export function strictDecodingMessage(findings: readonly string[]): string {
  return `strict decoding error: ${findings.join(', ')}`;
}

/**
 * Handles the findings of strict decoding: Strict throws 400, Warn adds warnings to the response, Ignore does nothing.
 */
export function applyFieldValidation(
  kind: Pick<ResourceKind, 'kind' | 'version'>,
  findings: readonly string[],
  mode: FieldValidation,
  warn: (text: string) => void,
): void {
  if (findings.length === 0 || mode === 'Ignore') return;
  if (mode === 'Strict') throw cannotBeHandledError(kind, strictDecodingMessage(findings));
  for (const finding of findings) for (const warning of findingWarnings(finding)) warn(warning);
}
