import { asStored } from '../api/structs/as-printed.ts';
import type { RequestContext } from './context.ts';
import { keepFinalizer, warnOfFinalizers } from './finalizers.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { raiseGeneration, tidyMetadata } from './metadata.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import type { Draft, StoredResource } from './resource.ts';
import { refuseWrongTypes, validateDraft, validateStatus } from './validate-draft.ts';

/**
 * Brings a draft to its final form and refuses it if that is not valid. The order is the contract of StoredResource.
 */
export async function settleMain(
  kind: KindRuntime,
  context: RequestContext,
  draft: Draft,
  subresource = '',
): Promise<void> {
  const { resource } = kind;
  const old = draft.old?.object;
  inForm(resource, draft);
  if (resource.prepare !== undefined) refuseWrongTypes(resource, draft.object);
  keepFinalizer(resource, draft.object, old, context);
  if (resource.prepare !== undefined) await resource.prepare(draft, context, subresource);
  dropDuplicateOwners(draft.object, context);
  draft.object.metadata = tidyMetadata(draft.object.metadata);
  if (resource.builtIn === true) draft.object = asStored(draft.object);
  if (old !== undefined) raiseGeneration(resource, draft.object, old);
  await validateDraft(kind, context, draft);
  warnOfFinalizers(draft.object, old, context);
}

/** What was decoded before the kind was redefined is of the form of before. */
function inForm({ form }: StoredResource, draft: Draft): void {
  if (form !== undefined) draft.object = form.turn(draft.object);
}

/** Checked before and after: the hook relies on types, and what it writes must be right too. */
export async function settleStatus(kind: KindRuntime, context: RequestContext, draft: Draft): Promise<void> {
  const { resource } = kind;
  inForm(resource, draft);
  if (resource.prepareStatus !== undefined) validateStatus(resource, draft, []);
  resource.prepareStatus?.(draft, context);
  if (resource.builtIn === true) draft.object = asStored(draft.object);
  validateStatus(resource, draft, (await resource.validateStatus?.(draft, context)) ?? []);
}
