import type { KubeObject } from '../api/meta.ts';
import type { KindRuntime } from './kind-runtime.ts';
import type { Place } from './object-index.ts';
import { withResourceVersion } from './record.ts';
import type { Draft } from './resource.ts';
import { serve, serveRevealing } from './served.ts';
import type { Served } from './verbs.ts';

/**
 * What a writer is told after a write at that revision. As a rule the cache has this very version, decoded and shared;
 * if somebody has written since, the answer is still what this writer wrote. Only here is `reveal` ever shown.
 */
export function answerWritten(kind: KindRuntime, place: Place, revision: number, draft: Draft): Served {
  const cached = kind.cache.get(place.namespace, place.name);
  const served =
    cached?.revision === revision
      ? cached.served
      : serve(kind.resource, withResourceVersion(kind.resource, draft.object, revision));
  return draft.reveal === undefined ? served : serveRevealing(kind.resource, served.object, draft.reveal);
}

/** What would have been written: at the old revision (UPDATE-20), or without one for what does not exist (CREATE-24). */
export function answerDryRun(kind: KindRuntime, object: KubeObject, revision?: number): Served {
  return serve(kind.resource, revision === undefined ? object : withResourceVersion(kind.resource, object, revision));
}

/** The last write of an object that went with it: never stored in this form, so at the version that it last had (UPDATE-18). */
export function answerVanished(kind: KindRuntime, object: KubeObject, revision: number): Served {
  return serve(kind.resource, withResourceVersion(kind.resource, object, revision));
}
