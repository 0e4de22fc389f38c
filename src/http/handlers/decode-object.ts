import type { KubeObject } from '../../api/meta.ts';
import type { FieldValidation } from '../../registry/verbs.ts';
import { applyFieldValidation, decodeDocument } from '../../registry/write/decode.ts';
import type { Endpoint } from './endpoint.ts';
import { decodeRawBody, type RawBody } from './raw-body.ts';

/** Decodes the body of a POST or PUT request as an object of the endpoint's kind (rules DEC-01 to DEC-14). */
export function decodeObject(endpoint: Endpoint, sent: RawBody, fieldValidation: FieldValidation): KubeObject {
  const { kind, context } = endpoint;
  const document = decodeRawBody(endpoint, sent, kind);
  endpoint.exchange.auditedRequest = { kind, value: () => document.value };
  const { object, findings } = decodeDocument(kind, document.value, {
    findings: document.findings,
    namespace: context.namespace,
    body: sent.bytes,
  });
  applyFieldValidation(kind, findings, fieldValidation, (text) => context.warn(text));
  return object;
}
