import type { KubeObject } from '../../api/meta.ts';
import type { WriteOptions, WriteResult } from '../../registry/verbs.ts';
import { objectReply } from '../negotiate/object-reply.ts';
import type { Reply } from '../reply.ts';
import { readWriteOptions } from '../request/query-options.ts';
import { setAuditedResponse } from './audit-response.ts';
import { decodeObject } from './decode-object.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';
import { readRawBody } from './raw-body.ts';

/** Serves PUT. Returns 201 if the request created the object (rule UPDATE-08), and 200 otherwise. */
export async function update(
  endpoint: Endpoint,
  replace: (sent: KubeObject, options: WriteOptions) => Promise<WriteResult>,
): Promise<Reply> {
  const { exchange } = endpoint;
  const form = negotiateResponseForm(endpoint, 'object');
  const sent = await readRawBody(endpoint);
  const options = readWriteOptions(exchange.query, 'UpdateOptions', exchange.request.headers['user-agent']);
  const object = decodeObject(endpoint, sent, options.fieldValidation);
  const written = setAuditedResponse(endpoint, await replace(object, options));
  return objectReply(written, written.created ? 201 : 200, form);
}
