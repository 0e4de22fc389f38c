import { badRequest, resourceVersionTooLarge, type StatusError } from '../../api/status.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { withStatusErrors } from '../store-status.ts';

/**
 * A resourceVersion that a client sent. It is a bigint if it is too large for a number, so that messages show it
 * exactly.
 */
export type RequestedRevision = number | bigint;

const maxUint64 = 2n ** 64n - 1n;

/** Parses a resourceVersion; `undefined` for ''. For an invalid text, throws the error that `invalidValue` returns. */
export function parseRevision(
  text: string,
  invalidValue: (detail: string) => StatusError = invalidResourceVersion(text),
): RequestedRevision | undefined {
  if (text === '') return undefined;
  if (!/^\d+$/.test(text)) throw invalidValue(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text);
  if (value > maxUint64) throw invalidValue(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** Returns the 400 for a resourceVersion that is not a number (GET-05, LIST-12). */
function invalidResourceVersion(text: string): (detail: string) => StatusError {
  return (detail) =>
    badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ${detail}`);
}

/** The maximum time in milliseconds that a read waits for a revision that does not exist yet (rule GET-04). */
const futureRevisionTimeoutMs = 3_000;

/**
 * Waits until the store has reached the requested revision. Without a revision, waits until the cache contains every
 * write that was acknowledged before this call. Revision 0 allows any state, so the store is not asked even if other
 * processes write to it. Returns a revision up to which the cache is complete. Throws 504 if the revision is not
 * reached in time (rules GET-04, LIST-14, WATCH-09).
 */
export async function awaitRevision(
  kind: KindRuntime,
  requested: RequestedRevision | undefined,
  context: Pick<RequestContext, 'signal' | 'freshRevision'>,
): Promise<number> {
  if (requested === 0) return await kind.cache.knownRevision();
  const current = await kind.cache.freshRevision(context.freshRevision);
  if (requested === undefined || current >= requested) return current;
  if (typeof requested === 'number' && (await isReached(kind, requested, current, context.signal)))
    return kind.cache.freshRevision();
  throw resourceVersionTooLarge(requested, await kind.cache.freshRevision());
}

async function isReached(kind: KindRuntime, requested: number, current: number, signal: AbortSignal): Promise<boolean> {
  let resolveOutcome: (reached: boolean) => void = () => {};
  const outcome = new Promise<boolean>((resolve) => {
    resolveOutcome = resolve;
  });
  const giveUp = () => resolveOutcome(false);
  const cancel = kind.clock.after(futureRevisionTimeoutMs, giveUp);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  // Observes the changes of all kinds, because a client may send the revision of a write to another kind.
  const stop = await withStatusErrors(
    kind.store.observe({ slice: kind.slice, prefix: [] }, current, {
      changes: (changes) => {
        if (changes.some((change) => change.revision >= requested)) resolveOutcome(true);
      },
      ended: giveUp,
    }),
  ).catch((error: unknown) => {
    cancel();
    throw error;
  });
  try {
    return await outcome;
  } finally {
    cancel();
    stop();
    signal.removeEventListener('abort', giveUp);
  }
}
