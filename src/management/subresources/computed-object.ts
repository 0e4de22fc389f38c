import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { ServedObject } from '../../registry/verbs.ts';
import { generateName, randomSuffix } from '../../registry/write/generate-name.ts';

/** Returns an object that is computed for a response and not stored. Generates its name if `sent` has a generateName. */
export function computedObject(kind: ResourceKind, sent: ObjectMeta, members: JsonObject): ServedObject {
  const metadata = withGeneratedName(sent);
  return toServedObject(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...members } as KubeObject);
}

function withGeneratedName(metadata: ObjectMeta): ObjectMeta {
  const { name = '', generateName: prefix = '' } = metadata;
  return name === '' && prefix !== '' ? { ...metadata, name: generateName(prefix, randomSuffix()) } : metadata;
}
