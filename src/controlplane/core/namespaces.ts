import { namespaceKind } from '../../api/core/namespace.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { type Draft, defineResource, type StoredResource } from '../../registry/resource.ts';

/**
 * Namespaces that clients may look at and nothing else: the server's own code makes and removes them with what they
 * belong to.
 */
export const readOnlyNamespaces: StoredResource = defineResource({
  ...namespaceKind,
  hasStatus: true,
  verbs: ['get', 'list', 'watch'],
  nameRule: 'label',
  unconditionalUpdate: true,
  prepare: setPhase,
  prepareStatus: setPhase,
});

/** The phase follows from the deletion and is nobody's to choose. */
function setPhase(draft: Draft): void {
  const phase = draft.object.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
  draft.object.status = { ...(draft.object.status as JsonObject | undefined), phase };
}
