import type { KubeObject } from '../api/meta.ts';
import { objectAt } from '../lib/json-path.ts';
import type { JsonObject } from '../lib/json-value.ts';

/**
 * Replaces the spec of a draft with a mutable copy and returns it. A spec that is not an object is left for schema
 * validation to reject; writes to the returned object are then discarded.
 */
export function writableSpec(object: KubeObject): JsonObject {
  const present = object.spec;
  const spec = { ...objectAt(object, 'spec') };
  if (present === undefined || present === null || objectAt(object, 'spec') !== undefined) object.spec = spec;
  return spec;
}
