import { controllersUser } from '../api/naming.ts';
import type { RequestContext } from '../registry/context.ts';

const never = new AbortController().signal;

/** The context of the server's own code in a namespace ('' for cluster-scoped kinds): it may do everything. */
export function systemContext(namespace: string, signal: AbortSignal = never): RequestContext {
  return {
    user: { name: controllersUser, groups: [] },
    system: true,
    namespace,
    signal,
    warn() {},
    may: () => true,
  };
}
