import { X509Certificate } from 'node:crypto';
import { equalJson, type JsonValue, listAt, numberAt, objectAt, sortByBytes, textAt, textsAt } from '@flotilla/json';
import { decodeBase64 } from '../../../api/decode/base64.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { pemBlocks } from '../../pem.ts';
import { signerNameErrors } from '../rules/volumes/signer-name.ts';
import { readCertificateRequest } from './certificate-request.ts';

const usages: readonly string[] = sortByBytes([
  'signing',
  'digital signature',
  'content commitment',
  'key encipherment',
  'key agreement',
  'data encipherment',
  'cert sign',
  'crl sign',
  'encipher only',
  'decipher only',
  'any',
  'server auth',
  'client auth',
  'code signing',
  'email protection',
  's/mime',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'timestamping',
  'ocsp signing',
  'microsoft sgc',
  'netscape sgc',
]);
const legacySigner = 'kubernetes.io/legacy-unknown';
const shortestSeconds = 600;

/** Conditions whose status can only be True. */
const decisions: readonly string[] = ['Approved', 'Denied', 'Failed'];
const conditions = 'status.conditions';
const certificate = 'status.certificate';

/** Returns the errors of a new request. */
export function* certificateErrors(object: KubeObject, old?: KubeObject): Generator<FieldError> {
  const request = object as JsonValue;
  const sent = textAt(request, 'spec', 'request');
  const read = readCertificateRequest(decodeBase64(sent));
  const fault = typeof read === 'string' ? read : read.signatureFault();
  if (fault !== undefined) yield invalid('spec.request', sent === '' ? null : sent, fault);
  yield* usageErrors(textsAt(request, 'spec', 'usages'));
  const signerName = textAt(request, 'spec', 'signerName');
  if (signerName === legacySigner) {
    yield invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version');
  } else yield* signerNameErrors('spec.signerName', signerName);
  const seconds = numberAt(request, 'spec', 'expirationSeconds');
  if (seconds !== undefined && seconds < shortestSeconds) {
    yield invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 600 seconds (10 minutes)');
  }
  yield* conditionErrors(listAt(request, 'status', 'conditions'));
  const issued = certificateOf(object);
  const issuedFault = old !== undefined && certificateOf(old) === issued ? undefined : certificateFault(issued);
  if (issuedFault !== undefined) yield invalid(certificate, '<certificate data>', issuedFault);
}

function* usageErrors(sent: readonly string[]): Generator<FieldError> {
  if (sent.length === 0) yield required('spec.usages');
  for (const [index, usage] of sent.entries()) {
    if (!usages.includes(usage)) yield notSupported(`spec.usages[${index}]`, usage, usages);
  }
  const seen = new Set<string>();
  for (const [index, usage] of sent.entries()) {
    if (seen.has(usage)) yield duplicate(`spec.usages[${index}]`, usage);
    seen.add(usage);
  }
}

function* conditionErrors(sent: readonly JsonValue[]): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [index, condition] of sent.entries()) {
    const path = `${conditions}[${index}]`;
    const [type, status] = [textAt(condition, 'type'), textAt(condition, 'status')];
    if (type === '') yield required(`${path}.type`);
    const allowed = decisions.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status === '') yield required(`${path}.status`);
    else if (!allowed.includes(status)) yield notSupported(`${path}.status`, status, allowed);
    const opposite = type === 'Approved' ? 'Denied' : 'Approved';
    if ((type === 'Approved' || type === 'Denied') && seen.has(opposite)) {
      yield invalid(conditions, type, 'Approved and Denied conditions are mutually exclusive');
    }
    if (seen.has(type)) yield duplicate(`${path}.type`, type);
    seen.add(type);
  }
}

function certificateOf(object: KubeObject): string {
  return textAt(object as JsonValue, 'status', 'certificate');
}

function certificateFault(encoded: string): string | undefined {
  if (encoded === '') return undefined;
  let blocks = 0;
  for (const { type, hasHeaders, bytes } of pemBlocks(decodeBase64(encoded))) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    if (!isCertificate(bytes)) return 'x509: malformed certificate';
    blocks++;
  }
  return blocks === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function isCertificate(bytes: Buffer): boolean {
  try {
    new X509Certificate(bytes);
    return true;
  } catch {
    return false;
  }
}

function conditionsOf(object: KubeObject, type: string): readonly JsonValue[] {
  return listAt(object as JsonValue, 'status', 'conditions').filter((condition) => textAt(condition, 'type') === type);
}

/** Returns the errors of an update of the object or of one of its subresources. */
export function* certificateUpdateErrors(
  object: KubeObject,
  old: KubeObject,
  subresource: string,
): Generator<FieldError> {
  yield* certificateErrors(object, old);
  for (const type of decisions) {
    if (conditionsOf(object, type).length >= conditionsOf(old, type).length) continue;
    yield forbiddenField(conditions, `updates may not remove a condition of type ${JSON.stringify(type)}`);
  }
  if (subresource !== 'approval') yield* decisionErrors(object, old);
  const [before, after] = [certificateOf(old), certificateOf(object)];
  if (before === after) return;
  if (subresource !== 'status') yield forbiddenField(certificate, 'updates may not set certificate content');
  else if (before !== '') yield forbiddenField(certificate, 'updates may not modify existing certificate content');
}

/** Returns the errors of changes to the approval. Only the subresource `approval` can change the approval. */
function* decisionErrors(object: KubeObject, old: KubeObject): Generator<FieldError> {
  for (const type of ['Approved', 'Denied']) {
    const [before, after] = [conditionsOf(old, type), conditionsOf(object, type)];
    const quoted = JSON.stringify(type);
    if (after.length > before.length) {
      yield forbiddenField(conditions, `updates may not add a condition of type ${quoted}`);
    } else if (after.length === before.length && !equalJson([...before], [...after])) {
      yield forbiddenField(conditions, `updates may not modify a condition of type ${quoted}`);
    }
  }
}

/** Returns the status of a request, as kubectl prints it. */
export function conditionText(object: KubeObject): string {
  const has = (type: string) => conditionsOf(object, type).length > 0;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const failed = has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${certificateOf(object) === '' ? '' : ',Issued'}`;
}

/** True if the status of two requests differs. */
export function changesStatus(object: KubeObject, old: KubeObject): boolean {
  const statusOf = (request: KubeObject) => objectAt(request as JsonValue, 'status') ?? {};
  return !equalJson(statusOf(object), statusOf(old));
}
