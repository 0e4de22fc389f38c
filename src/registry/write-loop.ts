import { serviceUnavailable, timedOut } from '../api/status.ts';
import { ObjectMoved } from './commit.ts';
import type { RequestContext } from './context.ts';
import type { KindRuntime } from './kind-runtime.ts';

/** So many conflicts in a row that the cache knows nothing of are no race: something is wrong. */
const patience = 50;

/**
 * Runs a write against the newest state, again and again while others are faster, until it is done, refused, or its
 * time is up (rule PATCH-14). Every failed attempt means that somebody else's write came through.
 */
export async function retrying<T>(kind: KindRuntime, context: RequestContext, attempt: () => Promise<T>): Promise<T> {
  let seen = -1;
  let unexplained = 0;
  for (;;) {
    if (context.isOver?.() ?? context.signal.aborted) {
      throw timedOut('request did not complete within requested timeout - context deadline exceeded');
    }
    const revision = await kind.cache.fresh();
    unexplained = revision === seen ? unexplained + 1 : 0;
    if (unexplained > patience) throw serviceUnavailable('the cache of this kind is behind the store', 1);
    seen = revision;
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ObjectMoved)) throw error;
    }
  }
}

/** A write that is tried several times warns once. */
export function warningOnce(context: RequestContext): RequestContext {
  const given = new Set<string>();
  const { user, accessKey, system, namespace, pathName = '', mayRead, turn } = context;
  return {
    user,
    ...(accessKey === undefined ? {} : { accessKey }),
    system,
    namespace,
    pathName,
    ...(mayRead === undefined ? {} : { mayRead }),
    ...(turn === undefined ? {} : { turn }),
    annotate: (key, value) => context.annotate?.(key, value),
    // A copy would ask for the signal, which is made only for those who do.
    get signal() {
      return context.signal;
    },
    isOver: () => context.isOver?.() ?? context.signal.aborted,
    may: (attributes) => context.may(attributes),
    warn(text) {
      if (given.has(text)) return;
      given.add(text);
      context.warn(text);
    },
  };
}
