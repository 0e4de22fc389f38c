import { unauthorized } from '../api/status.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { hasDeferredBody, type Reply } from '../http/reply.ts';
import { runWithAbortSignal } from '../http/request/with-signal.ts';
import type { Clock } from '../lib/clock.ts';

/** Ends a long-running request when its credential expires. `end` is the expiry in milliseconds since the epoch. */
export async function endAtCredentialExpiry(
  exchange: Exchange,
  end: number,
  clock: Clock,
  next: Handler,
): Promise<Reply> {
  const controller = new AbortController();
  const cancel = clock.at(end, () => controller.abort(unauthorized()));
  let staysOpen = false;
  try {
    const reply = await runWithAbortSignal(exchange, controller.signal, next);
    staysOpen = hasDeferredBody(reply);
    return reply;
  } finally {
    if (staysOpen) exchange.end.onEnd(cancel);
    else cancel();
  }
}
