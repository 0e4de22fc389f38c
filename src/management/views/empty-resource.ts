import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';

/** Serves a kind that has no objects. Like lists of other kinds, its lists have the revision of the plane. */
export function emptyResource(kind: ResourceKind, plane: Pick<KindStore, 'freshRevision'>): MountedResource {
  return {
    kind,
    verbs: {
      async get(_context, name) {
        throw notFound(groupResourceOf(kind), name);
      },
      async list() {
        return { items: [], resourceVersion: String(await plane.freshRevision()) };
      },
    },
    subresources: {},
  };
}
