import { cloneJson } from '@flotilla/json';
import { toStoredForm } from '../../api/structs/printed-form.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { Draft, StoredResource } from '../resource.ts';
import { ensureServerFinalizer, warnAboutFinalizers } from './finalizers.ts';
import { bumpGeneration, normalizeMetadata } from './metadata.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import { rejectWrongTypes, validateDraft, validateStatus } from './validate-draft.ts';

/** The origin of a draft. */
export interface DraftOrigin {
  /** The endpoint of the request; '' for the object itself. */
  readonly subresource: string;
  /** True if the draft is known to be in the served form of its kind. */
  readonly isInForm: boolean;
}

const newDraft: DraftOrigin = { subresource: '', isInForm: false };

/**
 * Brings a draft to its final form and rejects it if it is invalid. The order is the contract of StoredResource.
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
  return andThen(preparing, () => completePrepared(kind, context, draft));
}

function completePrepared(kind: KindRuntime, context: RequestContext, draft: Draft): MaybePromise<void> {
  const { resource } = kind;
  const old = draft.old?.object;
  dropDuplicateOwners(draft.object, context);
  // Otherwise the metadata is already normalized.
  if (resource.prepare !== undefined || resource.serverFinalizer !== undefined) {
    draft.object.metadata = normalizeMetadata(draft.object.metadata);
  }
  if (resource.builtIn === true) draft.object = toStoredForm(draft.object);
  if (old !== undefined) bumpGeneration(resource, draft.object, old);
  return andThen(validateDraft(kind, context, draft), () => warnAboutFinalizers(draft.object, old, context));
}

/** An object that was decoded before the kind was redefined has the previous form. */
function convertToServedForm({ form, schema }: StoredResource, draft: Draft): void {
  if (form === undefined || draft.document?.schema === schema || form.isConverted(draft.object)) return;
  draft.object = form.convert(cloneJson(draft.object));
}

/** Validates before and after the hook: the hook relies on types, and its result must be valid too. */
export async function completeStatusDraft(
  kind: KindRuntime,
  context: RequestContext,
  draft: Draft,
  isInForm = false,
): Promise<void> {
  const { resource } = kind;
  if (!isInForm) convertToServedForm(resource, draft);
  if (resource.prepareStatus !== undefined) validateStatus(resource, draft, []);
  resource.prepareStatus?.(draft, context);
  if (resource.builtIn === true) draft.object = toStoredForm(draft.object);
  validateStatus(resource, draft, (await resource.validateStatus?.(draft, context)) ?? []);
}
