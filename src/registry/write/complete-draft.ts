import { cloneJson } from '@flotilla/json';
import { toStoredForm } from '../../api/structs/printed-form.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { Draft, StoredResource } from '../resource.ts';
import { ensureServerFinalizer, warnAboutFinalizers } from './finalizers.ts';
import { bumpGeneration, normalizeMetadata } from './metadata.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import { rejectWrongTypes, statusMetadataErrors, validateDraft, validateStatus } from './validate-draft.ts';

/** Describes the write that a draft belongs to. */
export interface DraftOrigin {
  /** The subresource in the request path; '' if the request writes the object itself. */
  readonly subresource: string;
  /** True if the draft is already in the served form of its kind and need not be converted. */
  readonly isInForm: boolean;
}

const newDraft: DraftOrigin = { subresource: '', isInForm: false };

/**
 * Completes and validates the draft of a write to the object. The order of the steps is documented at `StoredResource`.
 * Throws an API error if the draft is invalid.
 */
export function completeMainDraft(
  kind: KindRuntime,
  context: RequestContext,
  draft: Draft,
  { subresource, isInForm }: DraftOrigin = newDraft,
): MaybePromise<void> {
  const { resource } = kind;
  if (!isInForm) convertToServedForm(resource, draft);
  if (resource.prepare !== undefined) rejectWrongTypes(resource, draft.object);
  ensureServerFinalizer(resource, draft.object, draft.old?.object, context);
  const preparing = resource.prepare?.(draft, context, subresource);
  return andThen(preparing, () => completePrepared(kind, context, draft, subresource));
}

function completePrepared(
  kind: KindRuntime,
  context: RequestContext,
  draft: Draft,
  subresource: string,
): MaybePromise<void> {
  const { resource } = kind;
  const old = draft.old?.object;
  dropDuplicateOwners(draft.object, context);
  // Empty members of the metadata are removed only if the kind has a `prepare` hook or a server finalizer, because
  // nothing else can have added them.
  if (resource.prepare !== undefined || resource.serverFinalizer !== undefined) {
    draft.object.metadata = normalizeMetadata(draft.object.metadata);
  }
  if (resource.builtIn === true) draft.object = toStoredForm(draft.object);
  const keepsGeneration = resource.generation?.keptBy?.includes(subresource) === true;
  if (old !== undefined && !keepsGeneration) bumpGeneration(resource, draft.object, old);
  return andThen(validateDraft(kind, context, draft, subresource), () =>
    warnAboutFinalizers(draft.object, old, context),
  );
}

/** Converts the draft to the served form, if its object was decoded by an older definition of the kind. */
function convertToServedForm({ form }: StoredResource, draft: Draft): void {
  if (form === undefined || form.isConverted(draft.object)) return;
  draft.object = form.convert(cloneJson(draft.object));
}

/**
 * Completes and validates the draft of a status write. Validates before the `prepareStatus` hook, because the hook
 * depends on correct types, and again after it.
 */
export async function completeStatusDraft(
  kind: KindRuntime,
  context: RequestContext,
  draft: Draft,
  { subresource, isInForm }: DraftOrigin,
): Promise<void> {
  const { resource } = kind;
  const writesMetadata = resource.statusWritesMetadata === true;
  const old = draft.old?.object;
  if (!isInForm) convertToServedForm(resource, draft);
  if (resource.prepareStatus !== undefined) validateStatus(resource, draft, []);
  if (writesMetadata) {
    ensureServerFinalizer(resource, draft.object, old, context);
    dropDuplicateOwners(draft.object, context);
  }
  resource.prepareStatus?.(draft, context, subresource);
  if (resource.builtIn === true) draft.object = toStoredForm(draft.object);
  const metadataErrors = writesMetadata ? await statusMetadataErrors(kind, context, draft) : [];
  const statusErrors = (await resource.validateStatus?.(draft, context, subresource)) ?? [];
  validateStatus(resource, draft, [...metadataErrors, ...statusErrors]);
  if (writesMetadata) warnAboutFinalizers(draft.object, old, context);
}
