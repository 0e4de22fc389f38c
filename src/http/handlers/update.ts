import type { KubeObject } from '../../api/meta.ts';
import type { WriteOptions, Written } from '../../registry/verbs.ts';
import { readWriteOptions } from '../query-options.ts';
import type { Reply } from '../reply.ts';
import { objectReply } from '../respond.ts';
import { answered } from './answered.ts';
import { decodeObject } from './decode-object.ts';
import { answerForm, type Endpoint } from './endpoint.ts';
import { takeBody } from './sent-body.ts';

/** PUT: 201 if it created the object (rule UPDATE-08), else 200. */
export async function update(
  endpoint: Endpoint,
  replace: (sent: KubeObject, options: WriteOptions) => Promise<Written>,
): Promise<Reply> {
  const { exchange } = endpoint;
  const form = answerForm(endpoint, 'object');
  const sent = await takeBody(endpoint);
  const options = readWriteOptions(exchange.query, 'UpdateOptions', exchange.request.headers['user-agent']);
  const { object } = decodeObject(endpoint, sent, options.fieldValidation);
  const written = answered(endpoint, await replace(object, options));
  return objectReply(written, written.created ? 201 : 200, form);
}
