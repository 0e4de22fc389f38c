import { isJsonObject, type JsonObject, type JsonValue, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import { timestamp } from '@flotilla/kubernetes-formats';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { formatDuration } from '../../../api/table.ts';
import { userInfoStatus } from '../../../api/user-info.ts';
import { textColumn } from '../kinds/columns.ts';
import type { KindWrite, KubernetesKind } from '../kubernetes-kind.ts';
import { certificateErrors, certificateUpdateErrors, conditionText } from './certificate-rules.ts';

/** Sets the user of a new request. An update keeps the spec. */
function prepare(
  object: KubeObject,
  old: KubeObject | undefined,
  _sent: KubeObject | undefined,
  { user }: KindWrite,
): void {
  const request = object as JsonObject;
  if (old !== undefined) {
    request.spec = (old as JsonObject).spec ?? {};
    return;
  }
  const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...spec } = objectAt(request, 'spec') ?? {};
  request.spec = { ...spec, ...userInfoStatus(user) };
  request.status = {};
}

/** Restores the parts that this subresource cannot write, and sets the times of conditions. */
function prepareStatus(object: KubeObject, old: KubeObject, subresource: string): void {
  const sent = objectAt(object as JsonValue, 'status') ?? {};
  const before = objectAt(old as JsonValue, 'status') ?? {};
  const known = listAt(before, 'conditions');
  const transitions = new Map(known.map((condition) => [stateOf(condition), textAt(condition, 'lastTransitionTime')]));
  const conditions = listAt(sent, 'conditions').map((condition) => withTimes(condition, transitions));
  const written = subresource === 'approval' ? before : sent;
  const { conditions: _, ...rest } = written;
  const kept = subresource === 'approval' ? conditions : withKeptDecisions(conditions, known);
  object.status = { ...(kept.length === 0 ? {} : { conditions: kept }), ...rest };
}

/**
 * Returns the conditions with the stored approvals and denials. If a write adds or removes approvals or denials, the
 * written ones are kept.
 */
function withKeptDecisions(conditions: readonly JsonValue[], known: readonly JsonValue[]): JsonValue[] {
  const kept = [...conditions];
  for (const type of ['Approved', 'Denied']) {
    const isOfType = (condition: JsonValue) => textAt(condition, 'type') === type;
    const before = known.filter(isOfType);
    if (before.length !== kept.filter(isOfType).length) continue;
    for (const [index, condition] of kept.entries()) if (isOfType(condition)) kept[index] = before.shift() ?? condition;
  }
  return kept;
}

/** Returns the type and the status of a condition as one text. */
function stateOf(condition: JsonValue): string {
  return JSON.stringify([textAt(condition, 'type'), textAt(condition, 'status')]);
}

/**
 * Sets the times of a condition. `transitions` contains the transition times of the stored conditions, by type and
 * status.
 */
function withTimes(condition: JsonValue, transitions: ReadonlyMap<string, string>): JsonValue {
  if (!isJsonObject(condition)) return condition;
  const now = timestamp(Date.now());
  return {
    ...condition,
    lastUpdateTime: textAt(condition, 'lastUpdateTime') || now,
    lastTransitionTime: textAt(condition, 'lastTransitionTime') || transitions.get(stateOf(condition)) || now,
  };
}

function durationOf(object: KubeObject): string {
  const seconds = numberAt(object as JsonValue, 'spec', 'expirationSeconds');
  return seconds === undefined ? '<none>' : formatDuration(seconds * 1000);
}

/**
 * The kind CertificateSigningRequest of certificates.k8s.io/v1. The server signs no requests: signers are programs of
 * the tenant.
 */
export const certificateSigningRequest: KubernetesKind = {
  struct: 'certificates.CertificateSigningRequest',
  group: 'certificates.k8s.io',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  namespaced: false,
  nameRule: 'path-segment',
  description: 'A request to sign a certificate. A program of the tenant approves and signs it.',
  selectableFields: ['spec.signerName'],
  unconditionalUpdate: true,
  resetFields: {
    '': [['spec'], ['status']],
    status: [['spec'], ['status', 'conditions']],
    approval: [['spec'], ['status', 'certificate']],
  },
  statusSubresources: ['approval'],
  prepare,
  validate: certificateErrors,
  validateUpdate: (object, old) => certificateUpdateErrors(object, old, ''),
  status: { keeps: [], prepare: prepareStatus, validate: certificateUpdateErrors },
  columns: [
    ageColumn,
    textColumn('SignerName', 'spec.signerName', { description: 'The name of the signer.', absent: '<none>' }),
    column('Requestor', 'spec.username', { description: 'The user who has created the request.' }),
    column('RequestedDuration', durationOf, { description: 'The requested validity of the certificate.' }),
    column('Condition', conditionText, { description: 'The state of the request.' }),
  ],
};
