import { groupResourceOf } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { GetOptions, ServedObject } from '../verbs.ts';
import { awaitRevision, parseRevision } from './resource-version.ts';

/**
 * Returns the current object. It is never older than the requested resourceVersion (GET-02, GET-03). Waits only if the
 * requested revision does not exist yet.
 */
export async function get(
  kind: KindRuntime,
  context: RequestContext,
  name: string,
  options: GetOptions,
): Promise<ServedObject> {
  const wanted = parseRevision(options.resourceVersion);
  await awaitRevision(kind, wanted, context);
  const namespace = kind.resource.namespaced ? context.namespace : '';
  let found = kind.cache.get(namespace, name);
  if (found === undefined && wanted === 0 && kind.store.isShared) {
    // Waits for the cache, because another process may have created the object.
    await kind.cache.freshRevision();
    found = kind.cache.get(namespace, name);
  }
  // The request was authorized before the wait. Since then, the object may have been replaced by one that the caller
  // has no permission to read.
  if (found === undefined || context.mayRead?.(found.served.object, found.hidden) === false) {
    throw notFound(groupResourceOf(kind.resource), name);
  }
  return found.served;
}
