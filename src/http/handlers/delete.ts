import { readDocument } from '../../api/decode/document.ts';
import { DocumentError } from '../../api/decode/document-error.ts';
import { badRequest } from '../../api/status.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { andThen, type MaybePromise, mustAwait } from '../../lib/maybe-promise.ts';
import type { Deleted, DeleteOptions } from '../../registry/verbs.ts';
import { deleteOptionsOfBody, deleteOptionsOfQuery, type ReadDeleteOptions } from '../delete-options.ts';
import type { Reply } from '../reply.ts';
import { objectReply, statusReply } from '../respond.ts';
import { answered } from './answered.ts';
import { answerForm, type Endpoint } from './endpoint.ts';
import { readSent, type SentBody, takeBody } from './sent-body.ts';

/**
 * DELETE of one object: returns a Status if it is gone, the object if its deletion is pending (DELETE-06, DELETE-07).
 */
export async function deleteObject(
  endpoint: Endpoint,
  remove: (options: DeleteOptions) => Promise<Deleted>,
): Promise<Reply> {
  const form = answerForm(endpoint, 'object');
  const sent = sentDeleteOptions(endpoint, false);
  const { options, orphanDependents } = mustAwait(sent) ? await sent : sent;
  const deleted = await remove(options);
  if ('gone' in deleted) return statusReply(deleted.gone, 200, form);
  return objectReply(answered(endpoint, deleted.pending), orphanDependents === false ? 202 : 200, form);
}

/** A body replaces the query. An empty body with a content type counts as none (rules DELETE-01, DELETE-23). */
export function sentDeleteOptions(endpoint: Endpoint, isCollection: boolean): MaybePromise<ReadDeleteOptions> {
  const sent = takeBody(endpoint, endpoint.settings.protobuf !== undefined);
  return andThen(sent, (whole) => decodeOptions(endpoint, whole, isCollection));
}

function decodeOptions(endpoint: Endpoint, sent: SentBody, isCollection: boolean): ReadDeleteOptions {
  if (sent.bytes.byteLength === 0) {
    return deleteOptionsOfQuery(endpoint.exchange.query, isCollection);
  }
  return deleteOptionsOfBody(readOptions(endpoint, sent), endpoint.kind);
}

/** Decoding errors are returned as they are: options are not an object that could be unrecognized. */
function readOptions(endpoint: Endpoint, sent: SentBody): JsonValue {
  const expected = { group: '', version: 'v1', kind: 'DeleteOptions' };
  if (sent.format === 'protobuf') return readSent(endpoint, sent, expected).value;
  try {
    return readDocument(sent.bytes, sent.format).value;
  } catch (error) {
    throw error instanceof DocumentError ? badRequest(error.message) : error;
  }
}
