import { type AccessCheck, type AccessDecision, type CelValue, dynamicValue } from '@flotilla/cel';
import type { KubeObject } from '../../api/meta.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { ObjectMutation } from '../object-mutation.ts';
import type { AdmissionAttributes } from '../plane-part.ts';
import { admissionRequest, isNamespaceResource, namespaceOfWrite, withApiVersion } from './admission-request.ts';
import { authorizerValue, resourceCheckValue } from './authorizer-library.ts';
import type { MatchedRequest } from './matched-version.ts';

/** A write that policies and webhooks are matched with. */
export type AdmittedWrite = Omit<AdmissionAttributes, 'onCompleted' | 'addGuard'>;

/** Returns the write of a mutation, with the object as it is now. */
export function writeOfMutation({ write, object }: ObjectMutation): AdmittedWrite {
  const { resource, requestKind, operation, subresource, old, context, dryRun } = write;
  const draft = { object, hidden: {}, ...(old === undefined ? {} : { old: { object: old } }) };
  return { resource, requestKind, operation, subresource, context, dryRun, draft };
}

/** Decides the permission checks of the CEL variable `authorizer`. */
export interface AccessAuthorizer {
  authorize(user: UserInfo, attributes: Attributes): Decision;
}

/** Returns the attributes of a write that match rules and selectors use. */
export function matchedRequest(plane: ControlPlane, write: AdmittedWrite): MatchedRequest {
  const { resource, operation, subresource, draft } = write;
  const { group, plural } = resource;
  const versions = plane
    .resources()
    .flatMap(({ kind }) => (kind.group === group && kind.plural === plural ? [kind.version] : []));
  return {
    group,
    version: resource.version,
    resource: plural,
    subresource,
    operation,
    name: draft.object.metadata.name ?? '',
    namespaced: resource.namespaced,
    versions,
    object: operation === 'DELETE' ? undefined : draft.object,
    oldObject: oldObjectOf(write),
    namespaceLabels: namespaceLabels(plane, write),
  };
}

function namespaceLabels(plane: ControlPlane, write: AdmittedWrite): Readonly<Record<string, string>> | undefined {
  if (isNamespaceResource(write.resource)) return write.draft.object.metadata.labels ?? {};
  return write.resource.namespaced ? (namespaceObjectOf(plane, write)?.metadata.labels ?? {}) : undefined;
}

function namespaceObjectOf(plane: ControlPlane, write: AdmittedWrite): KubeObject | undefined {
  return plane.kinds.get('namespaces')?.peek('', namespaceOfWrite(write))?.object;
}

/** Returns the values of the CEL variables. `version` is the version in which the variables contain the object. */
export function policyValues(
  plane: ControlPlane,
  write: AdmittedWrite,
  version: string,
  param: KubeObject | undefined,
): Map<string, CelValue> {
  const { resource, operation, draft, subresource } = write;
  const asValue = (object: KubeObject | undefined): CelValue =>
    object === undefined ? null : dynamicValue(withApiVersion(object, write, version));
  const values = new Map<string, CelValue>([
    ['object', asValue(operation === 'DELETE' ? undefined : draft.object)],
    ['oldObject', asValue(oldObjectOf(write))],
    ['request', dynamicValue(admissionRequest(write, version))],
    ['authorizer', authorizerValue()],
  ]);
  const { group, plural } = resource;
  const name = draft.object.metadata.name ?? '';
  const namespace = resource.namespaced ? namespaceOfWrite(write) : '';
  values.set(
    'authorizer.requestResource',
    resourceCheckValue({ group, resource: plural, subresource, namespace, name }),
  );
  if (param !== undefined) values.set('params', dynamicValue(param));
  const namespaceObject = resource.namespaced ? namespaceObjectOf(plane, write) : undefined;
  if (namespaceObject !== undefined) values.set('namespaceObject', dynamicValue(namespaceObject));
  return values;
}

/** Returns the object before the write. For a delete, that is the deleted object. */
export function oldObjectOf({ operation, draft }: AdmittedWrite): KubeObject | undefined {
  return operation === 'DELETE' ? (draft.old?.object ?? draft.object) : draft.old?.object;
}

/** Decides a permission check of an expression. */
export function checkAccess(authorizer: AccessAuthorizer, caller: UserInfo, check: AccessCheck): AccessDecision {
  const { path, verb, account, ...about } = check;
  const user = account === undefined ? caller : accountUser(account);
  const attributes: Attributes =
    path === undefined
      ? { resourceRequest: true, verb, version: '*', ...about }
      : { resourceRequest: false, verb, path };
  const { allowed, reason } = authorizer.authorize(user, attributes);
  return { allowed, reason };
}

function accountUser({ namespace, name }: NonNullable<AccessCheck['account']>): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
