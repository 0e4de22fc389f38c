import type { KubeObject } from '../api/meta.ts';
import { cloneJson } from '../lib/json-value.ts';
import type { StoredResource } from './resource.ts';

/*
 * Objects for drafts. A kind's own functions change what they are given. Where a kind has none, everything below the root
 * stays as it is, and is shared with whoever else holds it: the audit log has what was sent, the cache what stood there
 * before. What is frozen then need not be written out anew.
 */

/** What a write of the main part may change. Field ownership, often the largest part, is replaced and never changed. */
export function ownCopy(resource: StoredResource, object: KubeObject): KubeObject {
  if (keepsDrafts(resource)) return { ...object };
  const { managedFields, ...metadata } = object.metadata;
  const copy: KubeObject = cloneJson({ ...object, metadata });
  if (managedFields !== undefined) copy.metadata.managedFields = managedFields;
  return copy;
}

/** Puts another status into an object whose root is the caller's own. Undefined: none. */
export function putStatus(resource: StoredResource, object: KubeObject, status: KubeObject[string] | undefined): void {
  if (status !== undefined) object.status = keepsDrafts(resource) ? status : cloneJson(status);
  else if (Object.hasOwn(object, 'status')) delete object.status;
}

/** Whether nothing of the kind changes a draft of either part. */
function keepsDrafts({ prepare, prepareStatus, builtIn }: StoredResource): boolean {
  return prepare === undefined && prepareStatus === undefined && builtIn !== true;
}
