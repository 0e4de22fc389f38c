import { objectAt, textAt, valueAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import type { Attributes } from './attributes.ts';

/** What a review asks about. */
export function askedAttributes(review: JsonValue): Attributes {
  const spec = valueAt(review, 'spec');
  const path = objectAt(spec, 'nonResourceAttributes');
  if (path !== undefined) return { resourceRequest: false, verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  const asked = objectAt(spec, 'resourceAttributes');
  return {
    resourceRequest: true,
    verb: textAt(asked, 'verb'),
    group: textAt(asked, 'group'),
    version: textAt(asked, 'version') || '*',
    resource: textAt(asked, 'resource'),
    subresource: textAt(asked, 'subresource'),
    namespace: textAt(asked, 'namespace'),
    name: textAt(asked, 'name'),
  };
}
