import { fastPathsEnabled } from '@flotilla/fast-paths';
import { cloneJson } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import type { StoredResource } from '../resource.ts';

/*
 * Copies of objects for drafts. Hooks of a kind change their arguments. Plain path: a deep copy. Fast path: for a kind
 * without hooks, everything below the root stays unchanged and is shared with other holders: the audit log holds the
 * request, the cache the previous version. Frozen parts need not be encoded again.
 */

/** Returns a copy that a write of the main part may change. managedFields, often the largest part, are shared. */
export function draftCopy(resource: StoredResource, object: KubeObject): KubeObject {
  if (!fastPathsEnabled()) return cloneJson(object);
  if (hasNoDraftHooks(resource)) return { ...object };
  const { managedFields, ...metadata } = object.metadata;
  const copy: KubeObject = cloneJson({ ...object, metadata });
  if (managedFields !== undefined) copy.metadata.managedFields = managedFields;
  return copy;
}

/** Sets the status of an object whose root is a private copy; `undefined` removes it. */
export function setStatus(resource: StoredResource, object: KubeObject, status: KubeObject[string] | undefined): void {
  if (status !== undefined)
    object.status = fastPathsEnabled() && hasNoDraftHooks(resource) ? status : cloneJson(status);
  else if (Object.hasOwn(object, 'status')) delete object.status;
}

/** True if no hook of the kind changes a draft of either part. */
function hasNoDraftHooks({ prepare, prepareStatus, builtIn }: StoredResource): boolean {
  return prepare === undefined && prepareStatus === undefined && builtIn !== true;
}
