import type { JsonObject } from '@flotilla/json';
import { namespaceKind } from '../../../api/core/namespace.ts';
import { type Draft, defineResource, type StoredResource } from '../../../registry/resource.ts';

/**
 * Namespaces that clients may only read: the server itself creates and deletes them with the objects that they belong
 * to.
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

/** Sets the phase, which follows from the deletion and which no client may choose. */
function setPhase(draft: Draft): void {
  const phase = draft.object.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
  draft.object.status = { ...(draft.object.status as JsonObject | undefined), phase };
}
