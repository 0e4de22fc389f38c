import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { serve } from '../../registry/served.ts';
import type { Served } from '../../registry/verbs.ts';

/** Builds an object that is computed for one response and not stored. */
export function answerOf(kind: ResourceKind, metadata: ObjectMeta, members: JsonObject): Served {
  return serve(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...members } as KubeObject);
}
