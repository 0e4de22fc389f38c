import { isJsonObject } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { RequestDocument } from '../../registry/fast/request-document.ts';
import type { FieldValidation } from '../../registry/verbs.ts';
import { applyFieldValidation, decodeDocument } from '../../registry/write/decode.ts';
import type { Endpoint } from './endpoint.ts';
import { decodeRawBody, type RawBody } from './raw-body.ts';

export interface DecodedObject {
  readonly object: KubeObject;
  /**
   * The JSON text that the client sent. `undefined` if decoding changed the object, so that the text differs from it.
   */
  readonly document: RequestDocument | undefined;
}

/** Decodes the body of a POST or PUT request as an object of the endpoint's kind (rules DEC-01 to DEC-14). */
export function decodeObject(endpoint: Endpoint, sent: RawBody, fieldValidation: FieldValidation): DecodedObject {
  const { kind, context } = endpoint;
  const { value, findings, texts } = decodeRawBody(endpoint, sent, kind, kind.builtIn !== true);
  endpoint.exchange.auditedRequest = { kind, value: () => value };
  const { object, ...shaped } = decodeDocument(kind, value, {
    findings,
    namespace: context.namespace,
    body: sent.bytes,
  });
  applyFieldValidation(kind, shaped.findings, fieldValidation, (text) => context.warn(text));
  const isKnown = shaped.isUnchanged && texts !== undefined && isJsonObject(value);
  return { object, document: isKnown ? new RequestDocument(kind.schema, value, texts) : undefined };
}
