import type { Definition } from '../../api/apiextensions/definition.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import type { AddedKind } from '../plane-kinds.ts';
import { mountScale } from '../scale/mount-scale.ts';
import { customScale } from './custom-scale.ts';
import { type CustomKindState, type CustomVersion, customVersions } from './custom-versions.ts';

/**
 * Returns the kind that a CustomResourceDefinition adds to its plane. The objects of the kind are stored in the storage
 * version, and served in every version that has `served: true`. `undefined` if the definition has no storage version.
 */
export function kindOfDefinition(definition: Definition, kind: CustomKindState): AddedKind | undefined {
  const versions = customVersions(definition, kind);
  const stored = versions.find(({ storage }) => storage);
  if (stored === undefined) return undefined;
  return {
    resource: stored.resource,
    mount(store) {
      // End the watches. Otherwise, open watches would receive all later events in the new storage version.
      if (kind.hasNewStorageVersion === true) store.endWatches();
      return versions.filter(({ served }) => served).map((version) => mountVersion(store, version, kind.terminating));
    },
  };
}

function mountVersion(stored: KindStore, version: CustomVersion, terminating: boolean): MountedResource {
  const store = version.storage ? stored : stored.inVersion(version.resource);
  const subresources = version.scale === undefined ? {} : { scale: mountScale(store, customScale(version.scale)) };
  const mounted = mountStoredKind(store, subresources);
  return terminating ? { ...mounted, unlisted: ['patch', 'create', 'update'] } : mounted;
}
