import { unauthorized } from '../api/status.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { hasDeferredBody, type Reply } from '../http/reply.ts';
import { runWithAbortSignal } from '../http/request/with-signal.ts';
import type { Clock } from '../lib/clock.ts';

/** Ends a long-running request when its credential expires. `end` is the expiry in milliseconds since the epoch. */
export function endAtCredentialExpiry(exchange: Exchange, end: number, clock: Clock, next: Handler): Promise<Reply> {
  return endWhenInvalid(exchange, (invalidate) => clock.at(end, invalidate), next);
}

/**
 * Runs the next handler, and ends a long-running request as soon as the credential is invalid. `observe` starts to
 * observe the credential, calls `invalidate` when it becomes invalid, and returns a function that stops the
 * observation.
 */
export async function endWhenInvalid(
  exchange: Exchange,
  observe: (invalidate: () => void) => () => void,
  next: Handler,
): Promise<Reply> {
  const controller = new AbortController();
  const stop = observe(() => controller.abort(unauthorized()));
  let staysOpen = false;
  try {
    const reply = await runWithAbortSignal(exchange, controller.signal, next);
    staysOpen = hasDeferredBody(reply);
    return reply;
  } finally {
    if (staysOpen) exchange.end.onEnd(stop);
    else stop();
  }
}
