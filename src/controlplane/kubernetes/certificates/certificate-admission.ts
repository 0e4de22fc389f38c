import { type JsonValue, textAt } from '@flotilla/json';
import { decodeBase64 } from '../../../api/decode/base64.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { forbidden, type StatusError } from '../../../api/status.ts';
import type { AdmissionAttributes } from '../../../registry/admission-attributes.ts';
import { resourceKey } from '../../../registry/rows/rows.ts';
import { readCertificateRequest } from './certificate-request.ts';
import { changesStatus } from './certificate-rules.ts';
import { certificateSigningRequest } from './certificate-signing-requests.ts';

const clientSigner = 'kubernetes.io/kube-apiserver-client';
const adminGroup = 'system:masters';

/**
 * Refuses requests for client certificates of administrators. Also refuses approvals and signatures by users who may
 * not `approve` or `sign` for the signer of the request.
 */
export function admitCertificates(write: AdmissionAttributes): Promise<void> | undefined {
  const { resource, operation, subresource, draft } = write;
  if (resourceKey(resource) !== resourceKey(certificateSigningRequest)) return undefined;
  if (operation === 'CREATE') refuseAdmins(write);
  if (operation !== 'UPDATE' || draft.old === undefined) return undefined;
  if (subresource === 'approval') return requirePermission(write, 'approve');
  if (subresource !== 'status' || !changesStatus(draft.object, draft.old.object)) return undefined;
  return requirePermission(write, 'sign');
}

function refusal({ resource, draft }: AdmissionAttributes, detail: string): StatusError {
  return forbidden(groupResourceOf(resource), draft.object.metadata.name ?? '', detail);
}

function refuseAdmins(write: AdmissionAttributes): void {
  const object = write.draft.object as JsonValue;
  if (textAt(object, 'spec', 'signerName') !== clientSigner) return;
  const request = readCertificateRequest(decodeBase64(textAt(object, 'spec', 'request')));
  if (typeof request === 'string' || !request.organizations.includes(adminGroup)) return;
  throw refusal(write, `use of ${clientSigner} signer with ${adminGroup} group is not allowed`);
}

async function requirePermission(write: AdmissionAttributes, verb: 'approve' | 'sign'): Promise<void> {
  const signer = textAt(write.draft.old?.object as JsonValue | undefined, 'spec', 'signerName');
  const signers = { verb, group: certificateSigningRequest.group, resource: 'signers' };
  for (const name of [signer, `${signer.split('/', 1)[0]}/*`]) {
    if (await write.context.may({ ...signers, name })) return;
  }
  throw refusal(write, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
}
