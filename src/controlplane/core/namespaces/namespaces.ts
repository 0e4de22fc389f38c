import type { JsonObject } from '@flotilla/json';
import { namespaceKind } from '../../../api/core/namespace.ts';
import { type Draft, defineResource, type StoredResource } from '../../../registry/resource.ts';

/**
 * The kind Namespace for planes in which clients can only read namespaces. The server creates and deletes each
 * namespace together with the object that it belongs to, for example a project.
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

/** Sets the phase to Active or Terminating, depending on whether the namespace is being deleted. */
function setPhase(draft: Draft): void {
  const phase = draft.object.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
  draft.object.status = { ...(draft.object.status as JsonObject | undefined), phase };
}
