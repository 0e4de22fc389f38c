import type { KubeObject } from '../../api/meta.ts';
import { applyFieldValidation, shapeObject } from '../../registry/decode.ts';
import type { FieldValidation } from '../../registry/verbs.ts';
import type { Endpoint } from './endpoint.ts';
import { readSent, type SentBody } from './sent-body.ts';

/** From the bytes of a POST or PUT to an object of the endpoint's kind (rules DEC-01 to DEC-14). */
export function decodeObject(endpoint: Endpoint, sent: SentBody, fieldValidation: FieldValidation): KubeObject {
  const { kind, context } = endpoint;
  const { value, findings } = readSent(endpoint, sent, kind);
  endpoint.exchange.sent = { kind, value: () => value };
  const shaped = shapeObject(kind, value, { findings, namespace: context.namespace, body: sent.bytes });
  applyFieldValidation(kind, shaped.findings, fieldValidation, (text) => context.warn(text));
  return shaped.object;
}
