import { groupResourceOf } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { GetOptions, ServedObject } from '../verbs.ts';
import { awaitRevision, parseRevision } from './resource-version.ts';

/**
 * Returns the newest state, which is not older than any requested revision (GET-02, GET-03). Waits only for a revision
 * that does not exist yet.
 */
export async function get(
  kind: KindRuntime,
  context: RequestContext,
  name: string,
  options: GetOptions,
): Promise<ServedObject> {
  const wanted = parseRevision(options.resourceVersion) ?? 0;
  await awaitRevision(kind, wanted, context);
  const namespace = kind.resource.namespaced ? context.namespace : '';
  const found = kind.cache.get(namespace, name);
  // Another object of that name may have been created while this request waited for the revision.
  if (found === undefined || context.mayRead?.(found.served.object) === false) {
    throw notFound(groupResourceOf(kind.resource), name);
  }
  return found.served;
}
