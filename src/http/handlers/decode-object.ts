import type { KubeObject } from '../../api/meta.ts';
import { isJsonObject } from '../../lib/json-value.ts';
import { applyFieldValidation, shapeObject } from '../../registry/decode.ts';
import { SentDocument } from '../../registry/sent-document.ts';
import type { FieldValidation } from '../../registry/verbs.ts';
import type { Endpoint } from './endpoint.ts';
import { readSent, type SentBody } from './sent-body.ts';

export interface DecodedObject {
  readonly object: KubeObject;
  /** The document as sent; `undefined` if decoding changed the object. */
  readonly document: SentDocument | undefined;
}

/** Decodes the body of a POST or PUT to an object of the endpoint's kind (rules DEC-01 to DEC-14). */
export function decodeObject(endpoint: Endpoint, sent: SentBody, fieldValidation: FieldValidation): DecodedObject {
  const { kind, context } = endpoint;
  const { value, findings, texts } = readSent(endpoint, sent, kind, kind.builtIn !== true);
  endpoint.exchange.sent = { kind, value: () => value };
  const { object, ...shaped } = shapeObject(kind, value, {
    findings,
    namespace: context.namespace,
    body: sent.bytes,
  });
  applyFieldValidation(kind, shaped.findings, fieldValidation, (text) => context.warn(text));
  const isKnown = shaped.settled && texts !== undefined && isJsonObject(value);
  return { object, document: isKnown ? new SentDocument(kind.schema, value, texts) : undefined };
}
