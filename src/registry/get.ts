import { groupResourceOf } from '../api/resource.ts';
import { notFound } from '../api/status.ts';
import type { RequestContext } from './context.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { awaitRevision, parseRevision } from './resource-version.ts';
import type { GetOptions, Served } from './verbs.ts';

/**
 * The newest state, whatever revision was asked for: that is not older than any (GET-02, GET-03). Only a revision
 * that is not there yet makes it wait.
 */
export async function get(
  kind: KindRuntime,
  context: RequestContext,
  name: string,
  options: GetOptions,
): Promise<Served> {
  const wanted = parseRevision(options.resourceVersion) ?? 0;
  await awaitRevision(kind, wanted, context);
  const namespace = kind.resource.namespaced ? context.namespace : '';
  const found = kind.cache.get(namespace, name);
  // While a revision was waited for, another object of that name may have come.
  if (found === undefined || context.mayRead?.(found.served.object) === false) {
    throw notFound(groupResourceOf(kind.resource), name);
  }
  return found.served;
}
