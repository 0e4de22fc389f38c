import type { KubeObject } from '../../api/meta.ts';
import type { ObjectKey } from '../cache/object-index.ts';
import { toServedObject, toServedObjectWithReveal } from '../cache/served.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { Draft } from '../resource.ts';
import { withResourceVersion } from '../rows/record.ts';
import type { ServedObject } from '../verbs.ts';

/**
 * Returns the object for the response to a write, including the values of `draft.reveal`. Usually the cache contains
 * the version that this write stored. If another write has changed the object since, the response still shows the
 * version that this write stored.
 */
export function writtenObject(kind: KindRuntime, key: ObjectKey, revision: number, draft: Draft): ServedObject {
  const cached = kind.cache.get(key.namespace, key.name);
  const served =
    cached?.revision === revision
      ? cached.served
      : toServedObject(kind.resource, withResourceVersion(kind.resource, draft.object, revision));
  return draft.reveal === undefined ? served : toServedObjectWithReveal(kind.resource, served.object, draft.reveal);
}

/**
 * Returns the object for the response to a dry run. It has the revision of the existing object (UPDATE-20), or no
 * resourceVersion if the object does not exist (CREATE-24).
 */
export function dryRunObject(kind: KindRuntime, object: KubeObject, revision?: number): ServedObject {
  return toServedObject(
    kind.resource,
    revision === undefined ? object : withResourceVersion(kind.resource, object, revision),
  );
}

/**
 * Returns the object for the response to a write that removed the object, for example by removing the last finalizer.
 * The returned content was never stored, so its resourceVersion is that of the last stored version (UPDATE-18).
 */
export function removedObject(kind: KindRuntime, object: KubeObject, revision: number): ServedObject {
  return toServedObject(kind.resource, withResourceVersion(kind.resource, object, revision));
}
