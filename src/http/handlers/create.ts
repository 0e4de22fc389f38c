import type { KubeObject } from '../../api/meta.ts';
import { glanceAt, type Served, type WriteOptions } from '../../registry/verbs.ts';
import { readWriteOptions } from '../query-options.ts';
import type { Reply } from '../reply.ts';
import { objectReply } from '../respond.ts';
import { answered } from './answered.ts';
import { decodeObject } from './decode-object.ts';
import { answerForm, type Endpoint } from './endpoint.ts';
import { takeBody } from './sent-body.ts';

/** POST to a collection, or to a subresource that supports create (rules REQ-27, CREATE-01). */
export async function create(
  endpoint: Endpoint,
  make: (object: KubeObject, options: WriteOptions) => Promise<Served>,
): Promise<Reply> {
  const { exchange } = endpoint;
  const form = answerForm(endpoint, 'object');
  const sent = await takeBody(endpoint);
  const options = readWriteOptions(exchange.query, 'CreateOptions', exchange.request.headers['user-agent']);
  const { dryRun, fieldManager, fieldValidation } = options;
  const { object, document } = decodeObject(endpoint, sent, fieldValidation);
  const made = answered(endpoint, await make(object, { dryRun, fieldManager, fieldValidation, document }));
  // A name in the request body is final. Reading it from the result would parse the result.
  exchange.madeName = object.metadata.name || glanceAt(made).metadata.name;
  return objectReply(made, 201, form);
}
