import { controllersUser } from '../api/naming.ts';
import type { RequestContext } from '../registry/context.ts';

const never = new AbortController().signal;

/** Returns the request context of the server's own code, which has all permissions. `namespace` may be empty. */
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
