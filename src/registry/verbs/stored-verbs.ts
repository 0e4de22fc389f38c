import type { KindStore } from '../kind-store.ts';
import type { MountedResource } from '../mounted-resource.ts';
import type { ResourceVerbs, SubresourceVerbs } from '../verbs.ts';

/** Returns the verbs that clients may use: those in `resource.verbs`, or all verbs if it is absent. */
export function storedVerbs(kindStore: KindStore): ResourceVerbs {
  const { verbs, resource } = kindStore;
  if (resource.verbs === undefined) return verbs;
  return Object.fromEntries(resource.verbs.map((name) => [name, verbs[name]]));
}

/**
 * Returns the verbs of the status subresource. If clients can neither update nor patch the object, they can only read
 * its status.
 */
function statusVerbs({ resource, status }: KindStore): SubresourceVerbs | undefined {
  const isWritten =
    resource.verbs === undefined || resource.verbs.some((verb) => verb === 'update' || verb === 'patch');
  return status === undefined || isWritten ? status : { get: status.get };
}

/** Returns a stored kind with its status subresource, ready to be served by a control plane. */
export function mountStoredKind(
  kindStore: KindStore,
  subresources: MountedResource['subresources'] = {},
): MountedResource {
  const { resource } = kindStore;
  const status = statusVerbs(kindStore);
  return {
    kind: resource,
    verbs: storedVerbs(kindStore),
    subresources: { ...(status === undefined ? {} : { status: { kind: resource, verbs: status } }), ...subresources },
  };
}
