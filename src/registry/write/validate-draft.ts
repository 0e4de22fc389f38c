import type { FieldError } from '../../api/field-error.ts';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { validateChanged } from '../../api/schema/validate-changed.ts';
import { invalidObject } from '../../api/status.ts';
import { validateEmbedded } from '../../api/validation/embedded-resources.ts';
import { validateMeta, validateMetaUpdate } from '../../api/validation/object-meta.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { Draft, StoredResource } from '../resource.ts';
import { blockOwnerDeletionErrors } from './owner-references.ts';

/**
 * Validates a draft and throws one 422 with all errors (rule CREATE-32). managedFields are not validated here. If the
 * managedFields that a client sent can be parsed, they are accepted later; otherwise the tracked managedFields replace
 * them.
 */
export function validateDraft(
  kind: KindRuntime,
  context: RequestContext,
  draft: Draft,
  subresource: string,
): MaybePromise<void> {
  const { resource } = kind;
  const { object } = draft;
  const old = draft.old?.object;
  const errors = metadataErrors(kind, object, old);
  errors.push(...schemaErrors(resource, object, old), ...validateEmbedded(resource.schema, object));
  const kindErrors = resource.validate?.(draft, context, subresource) ?? [];
  return andThen(kindErrors, (found) => {
    // A spread into `push` would exceed the stack if a map with many keys has several errors per key.
    for (const error of found) errors.push(error);
    return refuseWith(kind, context, draft, errors);
  });
}

function refuseWith(
  kind: KindRuntime,
  context: RequestContext,
  { object, old }: Draft,
  errors: FieldError[],
): MaybePromise<void> {
  return andThen(blockOwnerDeletionErrors(kind, context, object, old?.object), (blocked) => {
    errors.push(...blocked);
    refuse(kind.resource, object, errors);
  });
}

/** Returns the errors in the metadata of a status write, for kinds with `statusWritesMetadata`. */
export function statusMetadataErrors(
  kind: KindRuntime,
  context: RequestContext,
  { object, old }: Draft,
): MaybePromise<readonly FieldError[]> {
  const errors = metadataErrors(kind, object, old?.object);
  return andThen(blockOwnerDeletionErrors(kind, context, object, old?.object), (blocked) => [...errors, ...blocked]);
}

/** Validates a status write. Only the status is validated, so an invalid spec does not block it (STATUS-05). */
export function validateStatus(resource: StoredResource, draft: Draft, more: readonly FieldError[]): void {
  const schema = resource.schema.properties?.status;
  const { status } = draft.object;
  const old = draft.old?.object.status;
  const errors = schema === undefined || status === undefined ? [] : validateChanged(schema, status, old, 'status');
  refuse(resource, draft.object, [...reportedErrors(resource, errors), ...more]);
}

/**
 * Throws 422 if fields do not have the types of the schema. Runs before the hooks of the kind, which depend on correct
 * types. A missing field is accepted, because `prepare` may still set it.
 */
export function rejectWrongTypes(resource: StoredResource, object: KubeObject): void {
  const errors = validateSchema(resource.schema, object, '');
  if (!errors.some((error) => error.type === 'FieldValueTypeInvalid')) return;
  refuse(
    resource,
    object,
    errors.filter((error) => error.type !== 'FieldValueRequired'),
  );
}

function refuse(resource: StoredResource, object: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(resource, object.metadata.name ?? '', errors);
}

/**
 * Returns the schema errors of a draft. An invalid value that the write does not change is accepted, because the schema
 * may have become stricter after the value was written (META-23).
 */
function schemaErrors(
  resource: StoredResource,
  object: KubeObject,
  old: KubeObject | undefined,
): readonly FieldError[] {
  return reportedErrors(resource, validateChanged(resource.schema, object, old, ''));
}

/**
 * Omits the schema errors that kube-apiserver does not detect for built-in kinds: duplicate list keys and missing
 * fields. In kube-apiserver, a missing field has the zero value of its Go type. The kind's own validation decides
 * whether that value is acceptable.
 */
function reportedErrors({ builtIn }: StoredResource, errors: readonly FieldError[]): readonly FieldError[] {
  if (builtIn !== true) return errors;
  return errors.filter(({ type }) => type !== 'FieldValueDuplicate' && type !== 'FieldValueRequired');
}

function metadataErrors(
  { resource, limits }: KindRuntime,
  object: KubeObject,
  old: KubeObject | undefined,
): FieldError[] {
  const metadata = Object.hasOwn(object.metadata, 'managedFields')
    ? withoutOwnership(object.metadata)
    : object.metadata;
  return old === undefined
    ? validateMeta(metadata, resource, limits.ownerReferences)
    : validateMetaUpdate(metadata, old.metadata, limits.ownerReferences);
}

function withoutOwnership({ managedFields: _, ...metadata }: ObjectMeta): ObjectMeta {
  return metadata;
}
