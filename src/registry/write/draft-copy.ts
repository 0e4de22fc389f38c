import { fastPathsEnabled } from '@flotilla/fast-paths';
import { cloneJson } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import type { StoredResource } from '../resource.ts';

/*
 * Copies of objects for drafts. The plain path makes a deep copy, because hooks of the kind may change their arguments.
 * The fast path copies only the root if the kind has no hooks. All other parts stay shared with the audit log, which
 * holds the request, and with the cache, which holds the previous version. Shared frozen parts need no new encoding.
 */

/**
 * Returns a copy of the object that hooks may change. It may share managedFields, often the largest part, with
 * `object`.
 */
export function draftCopy(resource: StoredResource, object: KubeObject): KubeObject {
  if (!fastPathsEnabled()) return cloneJson(object);
  if (hasNoDraftHooks(resource)) return { ...object };
  const { managedFields, ...metadata } = object.metadata;
  const copy: KubeObject = cloneJson({ ...object, metadata });
  if (managedFields !== undefined) copy.metadata.managedFields = managedFields;
  return copy;
}

/** Sets the status of a draft, or removes it if `status` is `undefined`. */
export function setStatus(resource: StoredResource, object: KubeObject, status: KubeObject[string] | undefined): void {
  if (status !== undefined)
    object.status = fastPathsEnabled() && hasNoDraftHooks(resource) ? status : cloneJson(status);
  else if (Object.hasOwn(object, 'status')) delete object.status;
}

/** True if the kind has no hook that changes a draft, so that drafts can share parts with other objects. */
function hasNoDraftHooks({ prepare, prepareStatus, builtIn }: StoredResource): boolean {
  return prepare === undefined && prepareStatus === undefined && builtIn !== true;
}
