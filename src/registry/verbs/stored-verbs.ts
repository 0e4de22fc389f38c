import { toWriteResult } from '../cache/served.ts';
import type { RequestContext } from '../context.ts';
import type { KindStore } from '../kind-store.ts';
import type { MountedResource } from '../mounted-resource.ts';
import type { StoredResource } from '../resource.ts';
import type { ResourceVerbs, SubresourceVerbs, WriteResult } from '../verbs.ts';

/** The members of a kind's store that are needed to serve the kind. */
export type ServedStore = Pick<KindStore, 'resource' | 'verbs' | 'status'>;

/** Returns the verbs that clients may use: those in `resource.verbs`, or all verbs if `resource.verbs` is absent. */
export function storedVerbs(kindStore: ServedStore): ResourceVerbs {
  const { verbs, resource } = kindStore;
  if (resource.verbs === undefined) return verbs;
  return Object.fromEntries(resource.verbs.map((name) => [name, verbs[name]]));
}

/**
 * Returns the verbs of the status subresource. If clients can neither update nor patch the object, they can only read
 * its status.
 */
function statusVerbs({ resource, status }: ServedStore): SubresourceVerbs | undefined {
  const isWritten =
    resource.verbs === undefined || resource.verbs.some((verb) => verb === 'update' || verb === 'patch');
  if (status === undefined) return undefined;
  if (!isWritten) return { get: status.get };
  return resource.serverOwnedStatus === true ? checkedOnly(status) : status;
}

/**
 * Returns status verbs whose writes check the request but change nothing. Operators write the status of the objects
 * that they watch, and many operators stop if a status write fails.
 */
function checkedOnly(status: NonNullable<KindStore['status']>): SubresourceVerbs {
  const unchanged = async (context: RequestContext, name: string): Promise<WriteResult> => {
    context.warn('only the server changes the status of this kind; the status in the request is ignored');
    return toWriteResult(await status.get(context, name, { resourceVersion: '' }), false);
  };
  return {
    get: status.get,
    async update(context, name, sent, options) {
      await status.update(context, name, sent, { ...options, dryRun: true });
      return await unchanged(context, name);
    },
    async patch(context, name, patch, options) {
      await status.patch(context, name, patch, { ...options, dryRun: true });
      return await unchanged(context, name);
    },
  };
}

/** Returns a stored kind with its status subresource, ready to be served by a control plane. */
export function mountStoredKind(
  kindStore: ServedStore,
  subresources: MountedResource['subresources'] = {},
): MountedResource {
  const { resource } = kindStore;
  const verbs = statusVerbs(kindStore);
  const status = verbs === undefined ? {} : { status: { kind: resource, verbs } };
  return {
    kind: resource,
    verbs: storedVerbs(kindStore),
    // Discovery lists the status of custom resources first, and the subresources of built-in kinds by name.
    subresources: resource.builtIn === true ? { ...subresources, ...status } : { ...status, ...subresources },
    ...unsupportedVerbs(resource),
  };
}

/** Returns the reason why clients may not use a verb, for each such verb. Empty if the kind has no `verbsReason`. */
function unsupportedVerbs({ verbs = [], verbsReason }: StoredResource): Pick<MountedResource, 'unsupported'> {
  if (verbsReason === undefined) return {};
  const others = allVerbs.filter((verb) => !verbs.includes(verb));
  return { unsupported: Object.fromEntries(others.map((verb) => [verb, verbsReason])) };
}

const allVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;
