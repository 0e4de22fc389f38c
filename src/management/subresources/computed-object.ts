import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { ServedObject } from '../../registry/verbs.ts';

/** Returns an object that is computed for a response and not stored. */
export function computedObject(kind: ResourceKind, metadata: ObjectMeta, members: JsonObject): ServedObject {
  return toServedObject(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...members } as KubeObject);
}
