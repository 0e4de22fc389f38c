import { invalid } from '../../api/field-error.ts';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { badRequest, conflict, invalidObject, objectModifiedDetail } from '../../api/status.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { ObjectKey } from '../cache/object-index.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { parseRevision } from './resource-version.ts';

/*
 * Checks that a request body refers to the object that the URL names, and to its current version.
 */

/**
 * Throws 400 if the name in the body is missing or differs from the name in the path (UPDATE-02, UPDATE-03, PATCH-16).
 */
export function checkName(metadata: ObjectMeta, name: string): void {
  const sent = metadata.name ?? '';
  if (sent === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (sent !== name) {
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
  }
}

/**
 * Throws 400 if the namespace in the body differs from the namespace in the path (CREATE-11, UPDATE-04). The body may
 * omit the namespace. The namespace of a cluster-scoped kind is ignored.
 */
export function checkNamespace(kind: ResourceKind, metadata: ObjectMeta, namespace: string): void {
  const sent = metadata.namespace ?? '';
  if (kind.namespaced && sent !== '' && sent !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/**
 * Throws 409 if the uid in the body differs from the uid of the stored object (UPDATE-07, UPDATE-09). `stored` is '' if
 * there is no stored object.
 */
export function checkUid(kind: KindRuntime, { namespace, name }: ObjectKey, sent: string, stored: string): void {
  if (sent === '' || sent === stored) return;
  const { group, plural, builtIn } = kind.resource;
  // As in the error message of Kubernetes, the storage path of a built-in kind does not contain the API group.
  const storagePath = [builtIn === true ? '' : group, plural, namespace, name].filter((part) => part !== '');
  throw conflict(
    groupResourceOf(kind.resource),
    name,
    `StorageError: invalid object, Code: 4, Key: /registry/${storagePath.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${sent}, UID in object meta: ${stored}`,
  );
}

/**
 * Checks the resourceVersion of an update (UPDATE-05, UPDATE-06, UPDATE-23). Throws 409 if it is not current, and 422
 * if it is missing and the kind does not allow unconditional updates. The result of a patch is checked too, because a
 * patch may remove the resourceVersion.
 */
export function checkReplacedVersion(kind: KindRuntime, sent: ObjectMeta, current: CachedObject): void {
  const requested = sentRevision(sent);
  if (requested !== undefined && requested !== 0) {
    checkVersion(kind, sent, current);
  } else if (kind.resource.unconditionalUpdate !== true) {
    const { group, plural } = kind.resource;
    throw invalidObject({ group, kind: plural }, current.name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
}

/** Throws 409 if the body contains a resourceVersion that is not the current one: an optimistic lock (PATCH-15). */
export function checkVersion(kind: KindRuntime, sent: ObjectMeta, current: CachedObject): void {
  const requested = sentRevision(sent);
  if (requested === undefined || requested === 0 || requested === current.revision) return;
  throw conflict(groupResourceOf(kind.resource), current.name, objectModifiedDetail);
}

function sentRevision(sent: ObjectMeta) {
  return parseRevision(sent.resourceVersion ?? '', badRequest);
}

/** Throws 400 if a new object has a resourceVersion (CREATE-10). Accepts '', '0' and values that are not numbers. */
export function rejectVersionOnCreate(object: KubeObject): void {
  const sent = object.metadata.resourceVersion ?? '';
  if (sent !== '' && /^\d+$/.test(sent) && /[1-9]/.test(sent)) {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
}
