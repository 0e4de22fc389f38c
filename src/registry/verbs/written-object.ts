import type { KubeObject } from '../../api/meta.ts';
import type { ObjectKey } from '../cache/object-index.ts';
import { serve, serveWithReveal } from '../cache/served.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { Draft } from '../resource.ts';
import { withResourceVersion } from '../rows/record.ts';
import type { ServedObject } from '../verbs.ts';

/**
 * Returns the object for the response to a write at that revision. Usually the cache has this version, decoded and
 * shared. If the object has changed since, the response still shows this write. Only this function includes `reveal`.
 */
export function writtenObject(kind: KindRuntime, key: ObjectKey, revision: number, draft: Draft): ServedObject {
  const cached = kind.cache.get(key.namespace, key.name);
  const served =
    cached?.revision === revision
      ? cached.served
      : serve(kind.resource, withResourceVersion(kind.resource, draft.object, revision));
  return draft.reveal === undefined ? served : serveWithReveal(kind.resource, served.object, draft.reveal);
}

/**
 * The object of a dry run: at the old revision (UPDATE-20), or without one for an object that does not exist
 * (CREATE-24).
 */
export function dryRunObject(kind: KindRuntime, object: KubeObject, revision?: number): ServedObject {
  return serve(kind.resource, revision === undefined ? object : withResourceVersion(kind.resource, object, revision));
}

/** The object of a write that removed it. This form was never stored, so it has its last revision (UPDATE-18). */
export function removedObject(kind: KindRuntime, object: KubeObject, revision: number): ServedObject {
  return serve(kind.resource, withResourceVersion(kind.resource, object, revision));
}
