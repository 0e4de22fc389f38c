import type { KubeObject } from '../../src/api/meta.ts';
import type { ApiRoot } from './api-root.ts';
import { kinds } from './kind-ref.ts';
import type { RowsQuery } from './live-rows.ts';

/** Where events about what is in no namespace are kept. */
const eventsOfTheCluster = 'default';

/** The events about this very object, and not about another that had its name. */
export function eventsAbout({ metadata }: KubeObject, root?: ApiRoot): RowsQuery {
  const { namespace = eventsOfTheCluster, name = '', uid = '' } = metadata;
  return {
    kind: kinds.event,
    namespace,
    fieldSelector: `involvedObject.name=${name},involvedObject.uid=${uid}`,
    objects: true,
    ...(root === undefined ? {} : { root }),
  };
}
