import type { KubeObject } from '../../api/meta.ts';
import { peekWithoutManagedFields, type ServedObject, type WriteOptions } from '../../registry/verbs.ts';
import { objectReply } from '../negotiate/object-reply.ts';
import type { Reply } from '../reply.ts';
import { readWriteOptions } from '../request/query-options.ts';
import { setAuditedResponse } from './audit-response.ts';
import { decodeObject } from './decode-object.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';
import { readRawBody } from './raw-body.ts';

/** Serves POST to a collection, or to a subresource that supports create (rules REQ-27, CREATE-01). */
export async function create(
  endpoint: Endpoint,
  make: (object: KubeObject, options: WriteOptions) => Promise<ServedObject>,
): Promise<Reply> {
  const { exchange } = endpoint;
  const form = negotiateResponseForm(endpoint, 'object');
  const sent = await readRawBody(endpoint);
  const options = readWriteOptions(exchange.query, 'CreateOptions', exchange.request.headers['user-agent']);
  const { dryRun, fieldManager, fieldValidation } = options;
  const object = decodeObject(endpoint, sent, fieldValidation);
  const made = setAuditedResponse(endpoint, await make(object, { dryRun, fieldManager, fieldValidation }));
  // Prefer the name in the request body: reading the name of the created object would parse the result.
  exchange.createdName = object.metadata.name || peekWithoutManagedFields(made).metadata.name;
  return objectReply(made, 201, form);
}
