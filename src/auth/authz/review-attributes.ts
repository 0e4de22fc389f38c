import { type JsonValue, objectAt, textAt, valueAt } from '@flotilla/json';
import type { Attributes } from './attributes.ts';

/** Returns the attributes of the request that an access review asks about. */
export function reviewAttributes(review: JsonValue): Attributes {
  const spec = valueAt(review, 'spec');
  const path = objectAt(spec, 'nonResourceAttributes');
  if (path !== undefined) return { resourceRequest: false, verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  const attributes = objectAt(spec, 'resourceAttributes');
  return {
    resourceRequest: true,
    verb: textAt(attributes, 'verb'),
    group: textAt(attributes, 'group'),
    version: textAt(attributes, 'version') || '*',
    resource: textAt(attributes, 'resource'),
    subresource: textAt(attributes, 'subresource'),
    namespace: textAt(attributes, 'namespace'),
    name: textAt(attributes, 'name'),
  };
}
