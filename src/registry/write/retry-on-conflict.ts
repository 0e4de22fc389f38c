import { StatusError, serviceUnavailable, timedOut } from '../../api/status.ts';
import { type MaybePromise, needsAwait } from '../../lib/maybe-promise.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { type AccessAttributes, maxWarnings, type RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { ObjectChangedError } from './commit.ts';
import { NameTakenError } from './name-taken-error.ts';

/**
 * The maximum number of consecutive conflicts without a new revision in the cache. A race with another write always
 * leads to a new revision, so more conflicts mean that the cache no longer receives changes.
 */
const maxUnexplainedConflicts = 50;

export interface RetryOptions {
  /**
   * True if the first attempt must already see every write that was acknowledged before it, because the attempt may
   * succeed without a transaction.
   */
  readonly asksFirst: boolean;
}

/**
 * Runs a write with the current state and retries it on conflict, until it succeeds, is rejected or times out (rule
 * PATCH-14). The retries come to an end, because each conflict means that another write has succeeded.
 * If other processes write to the store, the first attempt uses the state of the cache, which may be outdated. If the
 * first attempt succeeds, its transaction has confirmed that the object was current, and a request to the store is
 * saved. If the attempt fails for a reason other than a conflict, the write is repeated with the current state.
 */
export function retryOnConflict<T>(
  kind: KindRuntime,
  context: RequestContext,
  attempt: () => Promise<T>,
  { asksFirst }: RetryOptions,
): Promise<T> {
  return kind.store.isShared && !asksFirst
    ? attemptWithCachedState(kind, context, attempt)
    : retryWithCurrentState(kind, context, attempt);
}

async function attemptWithCachedState<T>(
  kind: KindRuntime,
  context: RequestContext,
  attempt: () => Promise<T>,
): Promise<T> {
  assertNotCanceled(context);
  const known = await kind.cache.knownRevision();
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ObjectChangedError) && !(await isOutdated(kind, error, known))) throw error;
  }
  return await retryWithCurrentState(kind, context, attempt);
}

/**
 * True if a write was refused because of an outdated state: the refusal was based on the state up to revision `known`,
 * and the state has changed since.
 */
async function isOutdated({ cache }: KindRuntime, refusal: unknown, known: number): Promise<boolean> {
  const isRefusal = refusal instanceof StatusError ? refusal.code < 500 : refusal instanceof NameTakenError;
  return isRefusal && (await cache.freshRevision()) > known;
}

async function retryWithCurrentState<T>(
  kind: KindRuntime,
  context: RequestContext,
  attempt: () => Promise<T>,
): Promise<T> {
  let lastRevision = -1;
  let unexplained = 0;
  for (;;) {
    assertNotCanceled(context);
    const fresh = kind.cache.freshRevision();
    const revision = needsAwait(fresh) ? await fresh : fresh;
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

function assertNotCanceled(context: RequestContext): void {
  if (context.isCanceled?.() ?? context.signal.aborted)
    throw timedOut('request did not complete within requested timeout - context deadline exceeded');
}

/**
 * Confirms that an object is current. Called before a write that changes nothing succeeds without a transaction.
 * Rejects with ObjectChangedError if the object is not current. Returns without a promise if no other process writes to
 * the store.
 */
export function confirmCurrent({ store, cache }: KindRuntime, object: CachedObject): MaybePromise<void> {
  if (!store.isShared) return;
  return Promise.resolve(cache.freshRevision()).then(() => {
    if (cache.get(object.namespace, object.name)?.revision !== object.revision) throw new ObjectChangedError();
  });
}

/** Returns a context that reports each warning only once, even if the write is retried. */
export function withWarningsOnce(context: RequestContext): RequestContext {
  return new WarningOnce(context);
}

class WarningOnce implements RequestContext {
  readonly user: RequestContext['user'];
  declare readonly accessKey?: string;
  declare readonly responsible?: string;
  declare readonly fence?: NonNullable<RequestContext['fence']>;
  declare readonly span?: NonNullable<RequestContext['span']>;
  declare readonly changeHidden?: NonNullable<RequestContext['changeHidden']>;
  declare readonly freshRevision?: number;
  readonly system: boolean;
  declare readonly verb?: string;
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
    if (caller.verb !== undefined) this.verb = caller.verb;
    if (caller.accessKey !== undefined) this.accessKey = caller.accessKey;
    if (caller.responsible !== undefined) this.responsible = caller.responsible;
    if (caller.fence !== undefined) this.fence = caller.fence;
    if (caller.span !== undefined) this.span = caller.span;
    if (caller.changeHidden !== undefined) this.changeHidden = caller.changeHidden;
    if (caller.freshRevision !== undefined) this.freshRevision = caller.freshRevision;
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

  annotateByAdmission(key: string, value: string): void {
    this.#caller.annotateByAdmission?.(key, value);
  }

  warn(text: string): void {
    this.#reported ??= new Set();
    if (this.#reported.has(text) || this.#reported.size === maxWarnings) return;
    this.#reported.add(text);
    this.#caller.warn(text);
  }
}
