import { findingsInDocumentOrder } from '../../api/decode/findings-in-document-order.ts';
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
  applyFieldValidation(kind, inOrder(endpoint, sent, findings), fieldValidation, (text) => context.warn(text));
  return object;
}

/** Returns the findings in Kubernetes' order: for a built-in kind, the order of the JSON document (rule DEC-11). */
function inOrder({ kind }: Endpoint, sent: RawBody, findings: readonly string[]): readonly string[] {
  if (kind.builtIn !== true || sent.format !== 'json' || findings.length < 2) return findings;
  return findingsInDocumentOrder(findings, new TextDecoder().decode(sent.bytes));
}
