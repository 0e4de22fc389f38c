import type { RequestContext } from './context.ts';
import { keepFinalizer, warnOfFinalizers } from './finalizers.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { raiseGeneration, tidyMetadata } from './metadata.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import type { Draft } from './resource.ts';
import { refuseWrongTypes, validateDraft, validateStatus } from './validate-draft.ts';

/**
 * Brings a draft to its final form and refuses it if that is not valid. The order is the contract of StoredResource.
 */
export async function settleMain(kind: KindRuntime, context: RequestContext, draft: Draft): Promise<void> {
  const { resource } = kind;
  const old = draft.old?.object;
  if (resource.prepare !== undefined) refuseWrongTypes(resource, draft.object);
  keepFinalizer(resource, draft.object, old, context);
  await resource.prepare?.(draft, context);
  dropDuplicateOwners(draft.object, context);
  draft.object.metadata = tidyMetadata(draft.object.metadata);
  if (old !== undefined) raiseGeneration(resource, draft.object, old);
  await validateDraft(kind, context, draft);
  warnOfFinalizers(draft.object, old, context);
}

/** Checked before and after: the hook relies on types, and what it writes must be right too. */
export function settleStatus(kind: KindRuntime, context: RequestContext, draft: Draft): void {
  validateStatus(kind.resource, draft.object);
  kind.resource.prepareStatus?.(draft, context);
  validateStatus(kind.resource, draft.object);
}
