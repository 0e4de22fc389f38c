import type { KubeObject } from '../../../src/api/meta.ts';
import type { ApiRoot } from '../api-root.ts';
import { kinds } from '../kind-ref.ts';
import type { RowsQuery } from '../rows/live-rows.ts';

/** The namespace that contains the events about cluster-scoped objects. */
const clusterEventsNamespace = 'default';

/**
 * Returns the query for the events about an object. The query selects by name and uid, to exclude events about an
 * earlier object with this name.
 */
export function eventsAbout({ metadata }: KubeObject, root?: ApiRoot): RowsQuery {
  const { namespace = clusterEventsNamespace, name = '', uid = '' } = metadata;
  return {
    kind: kinds.event,
    namespace,
    fieldSelector: `involvedObject.name=${name},involvedObject.uid=${uid}`,
    objects: true,
    ...(root === undefined ? {} : { root }),
  };
}
