import type { KubeObject } from '../api/meta.ts';
import type { KindRuntime } from './kind-runtime.ts';
import type { Place } from './object-index.ts';
import { withResourceVersion } from './record.ts';
import type { Draft } from './resource.ts';
import { serve, serveRevealing } from './served.ts';
import type { Served } from './verbs.ts';

/**
 * Returns the object for the response to a write at that revision. Usually the cache has this version, decoded and
 * shared. If the object has changed since, the response still shows this write. Only this function includes `reveal`.
 */
export function answerWritten(kind: KindRuntime, key: Place, revision: number, draft: Draft): Served {
  const cached = kind.cache.get(key.namespace, key.name);
  const served =
    cached?.revision === revision
      ? cached.served
      : serve(kind.resource, withResourceVersion(kind.resource, draft.object, revision));
  return draft.reveal === undefined ? served : serveRevealing(kind.resource, served.object, draft.reveal);
}

/**
 * The object of a dry run: at the old revision (UPDATE-20), or without one for an object that does not exist
 * (CREATE-24).
 */
export function answerDryRun(kind: KindRuntime, object: KubeObject, revision?: number): Served {
  return serve(kind.resource, revision === undefined ? object : withResourceVersion(kind.resource, object, revision));
}

/** The object of a write that removed it. This form was never stored, so it has its last revision (UPDATE-18). */
export function answerVanished(kind: KindRuntime, object: KubeObject, revision: number): Served {
  return serve(kind.resource, withResourceVersion(kind.resource, object, revision));
}
