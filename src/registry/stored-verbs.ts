import type { KindStore } from './kind-store.ts';
import type { MountedResource } from './mounted-resource.ts';
import type { ResourceVerbs, SubresourceVerbs } from './verbs.ts';

/** The verbs that clients have: all of them, or those that the kind leaves to clients. */
export function storedVerbs(kindStore: KindStore): ResourceVerbs {
  const { verbs, resource } = kindStore;
  if (resource.verbs === undefined) return verbs;
  return Object.fromEntries(resource.verbs.map((name) => [name, verbs[name]]));
}

/** What clients can only look at has a status that they can only look at. */
function statusVerbs({ resource, status }: KindStore): SubresourceVerbs | undefined {
  const isWritten =
    resource.verbs === undefined || resource.verbs.some((verb) => verb === 'update' || verb === 'patch');
  return status === undefined || isWritten ? status : { get: status.get };
}

/** A stored kind as a control plane serves it, its status with it. */
export function mountStored(kindStore: KindStore, subresources: MountedResource['subresources'] = {}): MountedResource {
  const { resource } = kindStore;
  const status = statusVerbs(kindStore);
  return {
    kind: resource,
    verbs: storedVerbs(kindStore),
    subresources: { ...(status === undefined ? {} : { status: { kind: resource, verbs: status } }), ...subresources },
  };
}
