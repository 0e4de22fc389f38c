import { controllersUser } from '../api/naming.ts';
import type { RequestContext } from '../registry/context.ts';
import type { RevisionCheck } from '../store/store.ts';

const never = new AbortController().signal;

/**
 * Returns the request context of the server's own code, which has all permissions. `namespace` may be empty. Background
 * work passes its `fence`.
 */
export function systemContext(namespace: string, signal: AbortSignal = never, fence?: RevisionCheck): RequestContext {
  return {
    user: { name: controllersUser, groups: [] },
    system: true,
    namespace,
    signal,
    warn() {},
    may: () => true,
    ...(fence === undefined ? {} : { fence }),
  };
}
