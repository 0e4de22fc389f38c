import type { KubeObject } from '../api/meta.ts';
import { objectAt } from '../lib/json-path.ts';
import type { JsonObject } from '../lib/json-value.ts';

/**
 * The spec of a draft as a fresh object that may be written to, put in its place. A spec that is no object at all is
 * left for the schema to refuse; what is written then goes nowhere.
 */
export function writableSpec(object: KubeObject): JsonObject {
  const present = object.spec;
  const spec = { ...objectAt(object, 'spec') };
  if (present === undefined || present === null || objectAt(object, 'spec') !== undefined) object.spec = spec;
  return spec;
}
