import { type JsonValue, objectAt, textAt, textsAt, valueAt } from '@flotilla/json';
import { type FieldError, invalid } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { badRequest, invalidObject } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';

/** Throws 422 if a SubjectAccessReview or SelfSubjectAccessReview is invalid. Reports all errors (rule AUTHZ-02). */
export function checkAccessReview(kind: ResourceKind, review: KubeObject, options: { namesUser: boolean }): void {
  const errors = [...specErrors(review, options.namesUser)];
  if (hasMetadata(review, [])) errors.push(invalid('metadata', shownMetadata(review), 'must be empty'));
  if (errors.length > 0) throw invalidObject(kind, '', errors);
}

/** Throws 422 if a LocalSubjectAccessReview is invalid, for example if it names another namespace (rule AUTHZ-04). */
export function checkLocalAccessReview(kind: ResourceKind, namespace: string, review: KubeObject): void {
  const errors = [...specErrors(review, true)];
  if (hasMetadata(review, ['namespace'])) {
    errors.push(invalid('metadata', shownMetadata(review), 'must be empty except for namespace'));
  }
  const nonResource = objectAt(review as JsonValue, 'spec', 'nonResourceAttributes');
  if (nonResource !== undefined) {
    errors.push(invalid('spec.nonResourceAttributes', nonResource, 'disallowed on this kind of request'));
  }
  if (errors.length > 0) throw invalidObject(kind, '', errors);
  if (textAt(review as JsonValue, 'spec', 'resourceAttributes', 'namespace') !== namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  }
}

function specErrors(review: KubeObject, namesUser: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const spec = valueAt(review as JsonValue, 'spec') ?? {};
  const given = ['resourceAttributes', 'nonResourceAttributes'].filter((name) => objectAt(spec, name) !== undefined);
  if (given.length !== 1) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalid('spec', spec, detail));
  }
  if (namesUser && textAt(spec, 'user') === '' && textsAt(spec, 'groups').length === 0) {
    errors.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  }
  return errors;
}

/** True if the client has set metadata members that are not in `allowed`. The server itself sets `managedFields`. */
function hasMetadata(review: KubeObject, allowed: readonly string[]): boolean {
  return Object.entries(review.metadata).some(
    ([name, value]) => name !== 'managedFields' && !allowed.includes(name) && value !== null && value !== '',
  );
}

function shownMetadata(review: KubeObject): JsonValue {
  return review.metadata as unknown as JsonValue;
}

export function reviewedUser(review: KubeObject): UserInfo {
  const spec = objectAt(review as JsonValue, 'spec') ?? {};
  const uid = textAt(spec, 'uid');
  const extra = objectAt(spec, 'extra');
  return {
    name: textAt(spec, 'user'),
    groups: textsAt(spec, 'groups'),
    ...(uid === '' ? {} : { uid }),
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])) }),
  };
}
