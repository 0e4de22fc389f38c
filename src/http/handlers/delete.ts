import type { JsonValue } from '@flotilla/json';
import { readDocument } from '../../api/decode/document.ts';
import { DocumentError } from '../../api/decode/document-error.ts';
import { badRequest } from '../../api/status.ts';
import { andThen, type MaybePromise, needsAwait } from '../../lib/maybe-promise.ts';
import type { DeleteOptions, DeleteResult } from '../../registry/verbs.ts';
import { markDryRun } from '../exchange.ts';
import { objectReply, statusReply } from '../negotiate/object-reply.ts';
import type { Reply } from '../reply.ts';
import { deleteOptionsFromBody, deleteOptionsFromQuery, type ParsedDeleteOptions } from '../request/delete-options.ts';
import { setAuditedResponse } from './audit-response.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';
import { decodeRawBody, type RawBody, readRawBody } from './raw-body.ts';

/**
 * Serves DELETE of one object. Returns a Status if the object was removed, or the object if finalizers or a grace
 * period delay its removal (rules DELETE-06, DELETE-07). Some kinds return removed objects too.
 */
export async function deleteObject(
  endpoint: Endpoint,
  remove: (options: DeleteOptions) => Promise<DeleteResult>,
): Promise<Reply> {
  const form = negotiateResponseForm(endpoint, 'object');
  const sent = readDeleteOptions(endpoint, false);
  const { options, orphanDependents } = needsAwait(sent) ? await sent : sent;
  const deleted = await remove(options);
  if ('gone' in deleted) return statusReply(deleted.gone, 200, form);
  const status = orphanDependents === false && deleted.isRemoved !== true ? 202 : 200;
  return objectReply(setAuditedResponse(endpoint, deleted.pending), status, form);
}

/** Reads the delete options from the request body, or from the query if the body is empty (DELETE-01, DELETE-23). */
export function readDeleteOptions(endpoint: Endpoint, isCollection: boolean): MaybePromise<ParsedDeleteOptions> {
  const sent = readRawBody(endpoint, endpoint.settings.protobuf !== undefined);
  return andThen(sent, (whole) => decodeOptions(endpoint, whole, isCollection));
}

function decodeOptions(endpoint: Endpoint, sent: RawBody, isCollection: boolean): ParsedDeleteOptions {
  const parsed =
    sent.bytes.byteLength === 0
      ? deleteOptionsFromQuery(endpoint.exchange.query, isCollection)
      : deleteOptionsFromBody(readOptions(endpoint, sent), endpoint.kind);
  if (parsed.options.dryRun) markDryRun(endpoint.exchange);
  return parsed;
}

/**
 * Decodes the body as DeleteOptions. A decoding error becomes a 400 response with the unchanged message of the error.
 */
function readOptions(endpoint: Endpoint, sent: RawBody): JsonValue {
  const expected = { group: '', version: 'v1', kind: 'DeleteOptions' };
  if (sent.format === 'protobuf') return decodeRawBody(endpoint, sent, expected).value;
  try {
    return readDocument(sent.bytes, sent.format).value;
  } catch (error) {
    throw error instanceof DocumentError ? badRequest(error.message) : error;
  }
}
