import { unauthorized } from '../api/status.ts';
import { type Exchange, goesOn, type Handler, type Reply } from '../http/exchange.ts';
import { withSignal } from '../http/with-signal.ts';
import type { Clock } from '../lib/clock.ts';

/** What lasts ends with the credential that it was begun with; `end` in milliseconds since the epoch. */
export async function untilEnd(exchange: Exchange, end: number, clock: Clock, next: Handler): Promise<Reply> {
  const controller = new AbortController();
  const cancel = clock.at(end, () => controller.abort(unauthorized()));
  let lasts = false;
  try {
    const reply = await withSignal(exchange, controller.signal, next);
    lasts = goesOn(reply);
    return reply;
  } finally {
    if (lasts) exchange.end.follow(cancel);
    else cancel();
  }
}
