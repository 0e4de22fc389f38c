import { JsonSyntaxError, type JsonValue, parseJson } from '@flotilla/json';
import { findingWarnings, readDocument } from '../../api/decode/document.ts';
import { DocumentError } from '../../api/decode/document-error.ts';
import { checkSentDocument } from '../../api/decode/document-size.ts';
import { badRequest } from '../../api/status.ts';
import { needsAwait } from '../../lib/maybe-promise.ts';
import { jsonPatchFindings } from '../../registry/patch/json-patch-findings.ts';
import type { FieldValidation, Patch, PatchOptions, WriteResult } from '../../registry/verbs.ts';
import { type PatchType, patchTypeOf, patchTypesOf } from '../negotiate/body-format.ts';
import { objectReply } from '../negotiate/object-reply.ts';
import type { Reply } from '../reply.ts';
import { checkPathName } from '../request/path-name.ts';
import { readPatchOptions } from '../request/query-options.ts';
import { readBody } from '../wire/read-body.ts';
import { setAuditedResponse } from './audit-response.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';

/** Serves PATCH. Checks the content type before anything else, as rule REQ-28 requires. */
export async function patch(
  endpoint: Endpoint,
  apply: (patch: Patch, options: PatchOptions) => Promise<WriteResult>,
): Promise<Reply> {
  const { request, query, info } = endpoint.exchange;
  const type = patchTypeOf(request.headers['content-type'], patchTypesOf(endpoint.mounted.kind));
  checkPathName(info.pathName);
  const form = negotiateResponseForm(endpoint, 'object');
  const reading = readBody(endpoint.exchange, endpoint.settings.bodyLimit);
  const bytes = needsAwait(reading) ? await reading : reading;
  const options = readPatchOptions(query, type === 'apply', request.headers['user-agent']);
  const sent = readPatch(type, bytes, options.fieldValidation, (text) => endpoint.context.warn(text));
  endpoint.exchange.auditedRequest = { kind: endpoint.kind, value: () => patchValue(sent) };
  const written = setAuditedResponse(endpoint, await apply(sent, options));
  return objectReply(written, written.created ? 201 : 200, form);
}

function patchValue(patch: Patch): JsonValue {
  if (patch.type === 'json') return patch.operations;
  return patch.type === 'apply' ? patch.object : patch.document;
}

function readPatch(
  type: PatchType,
  bytes: Uint8Array,
  validation: FieldValidation,
  warn: (text: string) => void,
): Patch {
  if (type === 'apply') return { type, object: readApply(bytes, validation, warn) };
  const { value, duplicates } = readJson(type, bytes);
  if (type === 'json') return { type, operations: value, findings: jsonPatchFindings(value, duplicates) };
  return { type, document: value, findings: duplicates.map((field) => `duplicate field ${JSON.stringify(field)}`) };
}

/** Decodes UTF-8 like Go: invalid bytes are replaced, and a byte order mark is kept, so JSON parsing rejects it. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Parses a JSON patch or merge patch. Throws 400 with Kubernetes' message if it is not valid JSON (rule PATCH-04). */
function readJson(type: PatchType, bytes: Uint8Array) {
  try {
    return parseJson(utf8.decode(bytes));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(`${type === 'strategic' ? '' : 'error decoding patch: '}${error.message}`);
  }
}

/** Parses an apply patch, which is YAML or JSON, because JSON is a subset of YAML (rules SSA-04, DEC-17). */
function readApply(bytes: Uint8Array, validation: FieldValidation, warn: (text: string) => void) {
  const { value, findings } = readYaml(bytes);
  checkSentDocument(value, bytes.length);
  if (validation === 'Strict' && findings.length > 0) {
    throw badRequest(`error strict decoding patch: error converting YAML to JSON: ${findings.join(', ')}`);
  }
  if (validation === 'Warn') for (const text of findings.flatMap(findingWarnings)) warn(text);
  return value;
}

function readYaml(bytes: Uint8Array) {
  try {
    return readDocument(bytes, 'yaml');
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw badRequest(`error decoding patch: ${error.message}`);
  }
}
