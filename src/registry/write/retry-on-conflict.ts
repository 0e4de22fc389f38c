import { serviceUnavailable, timedOut } from '../../api/status.ts';
import { mustAwait } from '../../lib/maybe-promise.ts';
import type { AccessAttributes, RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { ObjectChangedError } from './commit.ts';

/**
 * The maximum number of consecutive conflicts without a new revision in the cache. A race with another write always
 * leads to a new revision, so more conflicts mean that the cache no longer receives changes.
 */
const maxUnexplainedConflicts = 50;

/**
 * Runs a write with the current state and retries it on conflict, until it succeeds, is rejected or times out (rule
 * PATCH-14). This makes progress, because each conflict means that another write has succeeded.
 */
export async function retryOnConflict<T>(
  kind: KindRuntime,
  context: RequestContext,
  attempt: () => Promise<T>,
): Promise<T> {
  let lastRevision = -1;
  let unexplained = 0;
  for (;;) {
    if (context.isCanceled?.() ?? context.signal.aborted) {
      throw timedOut('request did not complete within requested timeout - context deadline exceeded');
    }
    const fresh = kind.cache.freshRevision();
    const revision = mustAwait(fresh) ? await fresh : fresh;
    unexplained = revision === lastRevision ? unexplained + 1 : 0;
    if (unexplained > maxUnexplainedConflicts)
      throw serviceUnavailable('the watch cache of this kind is behind the store; retry later', 1);
    lastRevision = revision;
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ObjectChangedError)) throw error;
    }
  }
}

/** Returns a context that reports each warning only once, even if the write is retried. */
export function withWarningsOnce(context: RequestContext): RequestContext {
  return new WarningOnce(context);
}

class WarningOnce implements RequestContext {
  readonly user: RequestContext['user'];
  declare readonly accessKey?: string;
  readonly system: boolean;
  readonly namespace: string;
  readonly pathName: string;
  declare readonly mayRead?: NonNullable<RequestContext['mayRead']>;
  declare readonly nextTimeSlice?: NonNullable<RequestContext['nextTimeSlice']>;
  readonly #caller: RequestContext;
  #reported: Set<string> | undefined;

  constructor(caller: RequestContext) {
    this.#caller = caller;
    this.user = caller.user;
    this.system = caller.system;
    this.namespace = caller.namespace;
    this.pathName = caller.pathName ?? '';
    if (caller.accessKey !== undefined) this.accessKey = caller.accessKey;
    if (caller.mayRead !== undefined) this.mayRead = caller.mayRead;
    if (caller.nextTimeSlice !== undefined) this.nextTimeSlice = caller.nextTimeSlice;
  }

  // A getter, because the caller's context creates the signal on first use.
  get signal(): AbortSignal {
    return this.#caller.signal;
  }

  isCanceled(): boolean {
    return this.#caller.isCanceled?.() ?? this.#caller.signal.aborted;
  }

  may(attributes: AccessAttributes): boolean | Promise<boolean> {
    return this.#caller.may(attributes);
  }

  annotate(key: string, value: string): void {
    this.#caller.annotate?.(key, value);
  }

  warn(text: string): void {
    this.#reported ??= new Set();
    if (this.#reported.has(text)) return;
    this.#reported.add(text);
    this.#caller.warn(text);
  }
}
