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
import { applyDefaults } from '../../api/schema/default.ts';
import { isNormalizedResource } from '../../api/schema/is-normalized-resource.ts';
import { prune } from '../../api/schema/prune.ts';
import { badRequest, type StatusError } from '../../api/status.ts';
import type { FieldValidation } from '../verbs.ts';

export interface ShapeOptions {
  /** The findings of the parser; they come first (rule DEC-11). */
  readonly findings: readonly string[];
  /**
   * The namespace in the path. If present, an object without a namespace gets it, an object with another one is
   * rejected, and a cluster-scoped object loses its own (rule CREATE-11). If absent, the namespace stays as sent.
   */
  readonly namespace?: string;
  /** The object of this kind that the document was derived from, if any; its metadata has the right types. */
  readonly base?: KubeObject;
  /** `base`, if it has the current storage form of the kind and therefore needs neither pruning nor defaulting. */
  readonly defaultedBase?: KubeObject | undefined;
  /** The request body, for the error message if it is not an object. */
  readonly body?: Uint8Array;
}

/**
 * The maximum nesting depth of an object, as the code behind this check recurses that deep. No real object comes near.
 * The parser accepts documents of up to 10,000 levels (rule REQ-21), which would overflow the stack.
 */
export const maxObjectDepth = 1_000;

export const tooDeepMessage = `exceeded max depth of ${maxObjectDepth}`;

export interface ShapedObject {
  readonly object: KubeObject;
  /** All problems that strict decoding rejects: `duplicate field "spec.a"`, `unknown field "spec.b"`. */
  readonly findings: string[];
  /** True if no change was needed: apart from its root and its metadata, the object is the document itself. */
  readonly isUnchanged: boolean;
}

/**
 * Turns a parsed document into an object of the kind: checks the types of the common members, applies defaults, prunes
 * unknown members. It does not change the document, but the object may share parts with it: a caller that changes more
 * than the root and the metadata must copy first. Throws a 400 if the document cannot be such an object; validation
 * reports schema violations.
 */
export function shapeObject(kind: ResourceKind, value: JsonValue, options: ShapeOptions): ShapedObject {
  if (!isJsonObject(value)) throw notAnObject(kind, value, options.body);
  checkType(kind, value, options.body);
  try {
    return shapeMembers(kind, value, options);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandled(kind, error.message);
    throw error;
  }
}

/**
 * The same without checking kind and apiVersion. Throws DecodeError, for callers with an error message of their own.
 */
export function shapeMembers(kind: ResourceKind, sent: JsonObject, options: ShapeOptions): ShapedObject {
  // Plain path: the separate passes below, which change nothing in such an object.
  const settled =
    fastPathsEnabled() &&
    kind.builtIn !== true &&
    kind.normalize === undefined &&
    isNormalizedResource(kind.schema, sent, options.defaultedBase);
  if (!settled && isNestedDeeper(sent, maxObjectDepth)) throw new DecodeError(tooDeepMessage);
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
    setMember(object, name, settled ? member : cloneJson(member));
  }
  if (settled) return { object: object as KubeObject, findings: allFindings(options, unknown), isUnchanged: settled };
  const pruned = prune(kind.schema, object, { isResource: true });
  const embedded = normalizeEmbeddedResources(kind.schema, object);
  const dropped = kind.normalize?.(object) ?? [];
  const shaped = kind.builtIn === true ? decodeIntoGoStruct(kind, object) : object;
  applyDefaults(kind.schema, shaped);
  const findings = allFindings(options, [...unknown, ...pruned, ...dropped, ...embedded]);
  return { object: shaped as KubeObject, findings, isUnchanged: settled };
}

function allFindings({ findings }: ShapeOptions, unknown: readonly string[]): string[] {
  return [...findings, ...unknown.map((field) => `unknown field ${JSON.stringify(field)}`)];
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

/** Missing values default to those of the endpoint; other values are rejected (rules DEC-04, DEC-05). */
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

/** Rule DEC-02; also the response of strict decoding. */
export function cannotBeHandled(kind: Pick<ResourceKind, 'kind' | 'version'>, detail: string): StatusError {
  return badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${detail}`);
}

/** The message of strict decoding, wherever it appears (rules DEC-09, DEC-15). */
export function strictDecodingMessage(findings: readonly string[]): string {
  return `strict decoding error: ${findings.join(', ')}`;
}

/** Handles the findings of a POST or PUT: Strict rejects, Warn adds warnings, Ignore does nothing. */
export function applyFieldValidation(
  kind: Pick<ResourceKind, 'kind' | 'version'>,
  findings: readonly string[],
  mode: FieldValidation,
  warn: (text: string) => void,
): void {
  if (findings.length === 0 || mode === 'Ignore') return;
  if (mode === 'Strict') throw cannotBeHandled(kind, strictDecodingMessage(findings));
  for (const finding of findings) for (const warning of findingWarnings(finding)) warn(warning);
}
